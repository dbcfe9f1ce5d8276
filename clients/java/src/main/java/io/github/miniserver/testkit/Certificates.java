package io.github.miniserver.testkit;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * The certificates of servers. That which a server shows to a client that asks for no name is the authority of those
 * for names, if the server has made it. So it is what clients have to trust.
 */
final class Certificates {
  /** Takes any certificate: the data are those of tests, and clients verify the one that is shown here. */
  static final SSLContext ANY = context(new TrustManager[] {new Gullible()});

  private Certificates() {}

  /** Returns a context that trusts the certificate which PEM text begins with. */
  static SSLContext trusting(String pem) {
    try {
      var store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      var in = new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII));
      store.setCertificateEntry("server", CertificateFactory.getInstance("X.509").generateCertificate(in));
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      return context(trust.getTrustManagers());
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static SSLContext context(TrustManager[] trusted) {
    try {
      var context = SSLContext.getInstance("TLS");
      context.init(null, trusted, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the certificate that a server has shown, as PEM. */
  static String shown(SSLSocket socket) {
    try {
      byte[] der = socket.getSession().getPeerCertificates()[0].getEncoded();
      String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
      return "-----BEGIN CERTIFICATE-----\n" + lines + "\n-----END CERTIFICATE-----\n";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Trusts every server. It is extended so that names are not checked either. */
  private static final class Gullible extends X509ExtendedTrustManager {
    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
