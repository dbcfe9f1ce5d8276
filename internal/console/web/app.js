// The frame around the pages: opening, login, navigation, light and dark.

import {Failure, Page, login, logout} from "./api.js";
import {el, field, show} from "./dom.js";
import {pages} from "./pages.js";

const main = document.querySelector("main");
const nav = document.querySelector("nav");
const announcer = document.querySelector(".announcer");

let api = null;
let leave = null; // ends the page that is open
let opened = 0; // pages so far
let address = ""; // of the page that is open

/** where splits the address: #keys?match=a* is the page keys with parameters. */
function where() {
  const [name, query = ""] = location.hash.slice(1).split("?");
  return {name: pages.some(p => p.name === name) ? name : pages[0].name, params: new URLSearchParams(query)};
}

/** contextOf is what a page gets: see README.md. A page that is left, or about to be, does not change the address any more. */
function contextOf(name, params) {
  const mine = opened;
  return {
    api, params, sandbox: api.sandbox, about: api.about,
    run: (...words) => api.run(...words),
    all: commands => api.all(commands),
    events: (topics, fn) => api.events(topics, fn),
    watch: (words, fn, failed) => api.watch(words, fn, failed),
    announce(text) { announcer.textContent = text; },
    setParams(values) {
      if (mine !== opened || location.hash !== address) return;
      const kept = new URLSearchParams(Object.entries(values).filter(([, v]) => v !== "" && v !== null && v !== undefined));
      history.replaceState(null, "", `#${name}${kept.size ? "?" + kept : ""}`);
      address = location.hash;
    },
  };
}

async function open() {
  const {name, params} = where();
  const page = pages.find(p => p.name === name);
  leave?.();
  leave = null;
  delete document.body.dataset.ready;
  const mine = ++opened;
  address = location.hash;
  document.title = `${page.title} – miniserver`;
  for (const link of nav.children) link.dataset.name === name ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  nav.querySelector("[aria-current]")?.scrollIntoView({block: "nearest", inline: "nearest"});
  try {
    const module = await page.load();
    if (mine !== opened) return;
    show(main);
    main.className = `page-${name}`;
    leave = await module.page.open(main, contextOf(name, params)) ?? null;
  } catch (error) {
    report(error);
  }
  document.body.dataset.ready = name;
}

/** report shows what has gone wrong. */
function report(error) {
  if (error instanceof Failure && error.status === 401) return askLogin();
  show(main, el("p", {class: "error", role: "alert"}, error.message));
}

function drawNav() {
  show(nav, pages.map((p, i) => el("a", {href: `#${p.name}`, "data-name": p.name, title: `Alt+${i + 1}`}, p.title)));
}

function drawWho() {
  const {user, version, release, readonly} = api.about;
  show(document.querySelector(".who"),
    readonly && el("span", {class: "tag"}, "read-only"),
    el("span", {class: "user", title: `miniserver ${version}, like ${release}`}, user),
    el("button", {class: "quiet", onclick: askLogin}, user === "default" ? "Log in" : "Switch user"),
    user !== "default" && el("button", {class: "quiet", onclick: async () => { await logout(); location.reload(); }}, "Log out"),
    el("button", {class: "quiet theme", onclick: turn, "aria-label": "Switch between light and dark", title: "Switch between light and dark"}, "◐"));
}

/** askLogin asks for a user and a password, until the server accepts them. */
function askLogin() {
  const user = el("input", {name: "user", autocomplete: "username", value: "default", spellcheck: "false"});
  const password = el("input", {name: "password", type: "password", autocomplete: "current-password"});
  const wrong = el("p", {class: "error", role: "alert"});
  const send = async event => {
    event.preventDefault();
    try {
      await login(user.value, password.value);
      location.reload();
    } catch (error) {
      show(wrong, error.message);
      password.select();
    }
  };
  const dialog = el("dialog", {"aria-label": "Log in"}, el("form", {class: "login", onsubmit: send}, el("h1", {}, "Log in"),
    field("User", user), field("Password", password), wrong,
    el("div", {class: "row"}, el("button", {class: "primary"}, "Log in"), api && el("button", {type: "button", onclick: () => dialog.close()}, "Cancel"))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  password.focus();
  document.body.dataset.ready = "login";
}

/** turn changes between light, dark, and what the system says. */
function turn() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  localStorage.setItem("theme", next);
  document.documentElement.dataset.theme = next;
}

addEventListener("hashchange", () => api && open());
addEventListener("keydown", event => {
  const page = pages[event.altKey && !event.ctrlKey ? Number(event.key) - 1 : -1];
  if (page) {
    event.preventDefault();
    location.hash = page.name;
  }
});
document.querySelector(".skip").addEventListener("click", event => { event.preventDefault(); main.focus(); });

const theme = localStorage.getItem("theme");
if (theme) document.documentElement.dataset.theme = theme;
drawNav();
pages.find(p => p.name === where().name).load().catch(() => {}); // meanwhile; open tells what is wrong
try {
  api = await Page.open();
  drawWho();
  await open();
} catch (error) {
  report(error);
}
