/**
 * A {@link io.github.miniserver.proxy.Proxy} stands between clients and a server, sees every command before the server
 * does, and may answer in its place. The packages that stand in for other libraries use it for what the server cannot
 * know: code of the test.
 */
package io.github.miniserver.proxy;
