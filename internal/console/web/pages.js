// The pages, in the order of the navigation. Each is a module that is loaded when it is opened.
export const pages = [
  {name: "keys", title: "Keys", load: () => import("./pages/keys.js")},
  {name: "memory", title: "Memory", load: () => import("./pages/memory.js")},
  {name: "live", title: "Live", load: () => import("./pages/live.js")},
  {name: "terminal", title: "Terminal", load: () => import("./pages/terminal.js")},
  {name: "limiter", title: "Limiter", load: () => import("./pages/limiter.js")},
  {name: "scripts", title: "Scripts", load: () => import("./pages/scripts.js")},
  {name: "indexes", title: "Indexes", load: () => import("./pages/indexes.js")},
];
