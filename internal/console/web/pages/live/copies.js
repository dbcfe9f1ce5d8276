// The other servers that have the data: the replicas of a master, the master of a replica, the members of a group. From the fields of INFO.

import {bytes, count, duration, el, head} from "../../dom.js";

/** parts splits a field such as ip=10.0.0.1,port=6379. */
const parts = text => Object.fromEntries(text.split(",").map(part => { const at = part.indexOf("="); return [part.slice(0, at), part.slice(at + 1)]; }));

/** numbered returns the fields NAME0, NAME1 ... in their order, as [number, parts]. */
const numbered = (fields, name) => Object.entries(fields).map(([field, value]) => [new RegExp(`^${name}(\\d+)$`).exec(field)?.[1], value])
  .filter(([n]) => n !== undefined).map(([n, value]) => [Number(n), parts(value)]).sort((a, b) => a[0] - b[0]);

const table = (label, heads, rows) => el("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": label}, el("table", {"aria-label": label}, el("thead", {}, el("tr", {}, heads.map(head))),
  el("tbody", {}, rows.map(cells => el("tr", {}, cells.map(c => el("td", {}, c)))))));

const facts = list => el("dl", {class: "facts-of"}, list.filter(Boolean).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));

const ago = ms => ms > 0 ? `${duration(ms)} ago` : "now";

const good = (yes, text) => el("span", {class: yes ? "good" : "error"}, text);

/** replication shows the master or the replicas of a server without a group. */
export function replication(f) {
  const replicas = numbered(f, "slave"), offset = Number(f.role === "slave" ? f.slave_repl_offset : f.master_repl_offset);
  const {role, master_link_status: link} = f;
  const syncing = f.master_sync_in_progress === "1";
  return [role === "slave" ? facts([["role", "replica"], ["master", `${f.master_host}:${f.master_port}`],
    ["link", syncing ? `gets the data, ${f.master_sync_perc ?? "0.00"} %` : good(link === "up", link)],
    link === "up" ? ["last heard", ago(1000 * f.master_last_io_seconds_ago)]
      : f.master_link_down_since_seconds > 0 && ["down for", duration(1000 * f.master_link_down_since_seconds)]])
    : facts([["role", "master"], ["replicas", count(f.connected_slaves)]]),
  facts([["offset", count(offset)], ["backlog", bytes(Number(f.repl_backlog_histlen))], ["replication ID", el("code", {}, f.master_replid)]]),
  replicas.length > 0 && table("Replicas", ["replica", "state", "offset", "behind", "last heard"], replicas.map(([, r]) => [el("code", {}, `${r.ip}:${r.port}`),
    good(r.state === "online", r.state), count(r.offset), bytes(Math.max(0, offset - r.offset)), ago(1000 * r.lag)]))];
}

/** orUnknown shows a number of which the server says -1 if it does not know it. */
const orUnknown = (n, show) => n < 0 ? "unknown" : show(Number(n));

/** group shows a group and its members. Only the leader knows how far the others are. */
export function group(f) {
  const leads = f.group_role === "leader", micros = n => duration(n / 1000);
  return [facts([["group", f.group_name], ["this member", `${f.group_id}, ${f.group_role}`], ["leader", f.group_leader === "0" ? good(false, "none") : f.group_leader], ["term", count(f.group_term)],
    ["disk", good(f.group_disk === "ok", f.group_disk)]]),
  facts([["last entry", count(f.group_index)], ["confirmed", count(f.group_committed)], ["applied", count(f.group_applied)],
    f.group_commits > 0 && ["time to confirm", `${micros(f.group_commit_p50_usec)} in the median, 99 of 100 within ${micros(f.group_commit_p99_usec)}`],
    !leads && ["last heard from the leader", f.group_age_ms < 0 ? "never" : ago(Number(f.group_age_ms))]]),
  table("Members", ["member", "role", "address in the group", "for clients", "last entry", "entries behind", "last heard"], numbered(f, "group_member").map(([id, m]) =>
    [id, `${String(id) === f.group_leader ? "leader" : m.vote === "yes" ? "follower" : "without a vote"}${String(id) === f.group_id ? ", this one" : ""}`, el("code", {}, m.address), el("code", {}, m.client),
      orUnknown(m.last, count), orUnknown(m.lag, count), orUnknown(m.heard_ms, ago)]))];
}
