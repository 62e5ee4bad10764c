"use strict";
// Sorting, searching and tooltips. Labels are untrusted: they are set as text only, never as HTML.
(() => {
  const PAGE = 100; // rows shown at a time
  const systems = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const number = new Intl.NumberFormat("en-US");
  const tip = document.getElementById("tip");

  function make(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "class") made.className = value;
      else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined) made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  function percent(share) {
    if (share === null) return "–";
    if (share > 0 && share < 0.005) return "<1%";
    if (share < 1 && share >= 0.995) return ">99%";
    return `${Math.round(100 * share)}%`;
  }

  // switch between light and dark
  const tone = document.getElementById("tone");
  tone.hidden = false;
  tone.addEventListener("click", () => {
    const dark = root.dataset.tone ? root.dataset.tone === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.tone = dark ? "light" : "dark";
  });

  // show one system at a time
  const chooser = document.getElementById("chooser");
  const parts = [...document.querySelectorAll(".part")];
  if (chooser) {
    const select = document.getElementById("system");
    const show = () => parts.forEach((part) => { part.hidden = part.dataset.index !== select.value; });
    chooser.hidden = false;
    select.addEventListener("change", show);
    show();
  }

  // tooltip of the element under the pointer or with the focus
  function tell(target, text) {
    tip.textContent = text;
    tip.hidden = false;
    const at = target.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const below = at.bottom + 6 + own.height < innerHeight;
    tip.style.left = `${Math.max(6, Math.min(at.left, innerWidth - own.width - 6))}px`;
    tip.style.top = `${below ? at.bottom + 6 : Math.max(6, at.top - own.height - 6)}px`;
  }
  function tipOf(target) {
    if (!(target instanceof Element)) return null;
    const cell = target.closest("[data-tip]");
    if (cell) return [cell, cell.dataset.tip];
    const term = target.closest("a.term");
    const meaning = term && document.getElementById(decodeURIComponent(term.hash.slice(1)));
    return meaning ? [term, meaning.nextElementSibling.textContent.trim()] : null;
  }
  const hush = () => { tip.hidden = true; };
  function follow(event) {
    const found = tipOf(event.target);
    if (!found) return hush();
    tell(...found);
    const status = found[0].closest("section").querySelector(".detail-line");
    if (status && event.type === "focusin") status.textContent = found[1];
  }
  for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, follow);
  for (const kind of ["pointerleave", "focusout"]) document.addEventListener(kind, hush);
  addEventListener("scroll", hush, { passive: true });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hush(); });

  // heat map: arrow keys move the focus, a click opens the cluster
  for (const heat of document.querySelectorAll(".heat")) {
    const rows = [...heat.tBodies[0].rows].map((row) => [...row.querySelectorAll("td[tabindex]")]).filter((row) => row.length);
    const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
    heat.addEventListener("keydown", (event) => {
      const row = rows.findIndex((cells) => cells.includes(event.target));
      if (row < 0) return;
      const col = rows[row].indexOf(event.target);
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.target.click(); return; }
      const step = steps[event.key];
      const next = step && rows[row + step[0]]?.[col + step[1]];
      if (!next) return;
      event.preventDefault();
      event.target.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
    heat.addEventListener("click", (event) => {
      const cell = event.target.closest("[data-col]");
      if (cell && cell.dataset.col !== "-1") explorers[heat.dataset.system].open("clusters", Number(cell.dataset.col));
    });
  }

  // list of classes and clusters
  const COLUMNS = {
    names: ["", "the label"], sizes: ["items", "how many"], parts: ["parts", "how many clusters a class is in, or classes a cluster has"],
    pure: ["largest part", "its share of the class or cluster"], vi: ["of all VI", "its share of VI"], fixed: ["repaired", ""],
  };
  class Explorer {
    constructor(section, system) {
      this.system = system;
      this.cells = { classes: this.grouped("rows", "classes"), clusters: this.grouped("cols", "clusters") };
      const wrong = (kind) => system[kind].vi.reduce((sum, share) => sum + share, 0);
      this.kind = wrong("classes") > wrong("clusters") ? "classes" : "clusters"; // the side with the larger share of VI
      this.sort = ["vi", -1];
      this.shown = PAGE;
      this.search = make("input", { type: "search", placeholder: "search labels", "aria-label": "search labels" });
      this.filter = make("select", { "aria-label": "which" },
        make("option", { value: "all" }, "all"), make("option", { value: "several" }, "of several parts"),
        make("option", { value: "pure" }, "of one part"), make("option", { value: "alone" }, "of one item"));
      this.kinds = ["clusters", "classes"].map((kind) =>
        make("button", { type: "button", "data-kind": kind, "aria-pressed": String(kind === this.kind), onclick: () => this.turn(kind) }, kind));
      this.detail = make("div", { class: "detail", hidden: "", "aria-live": "polite", tabindex: "-1" });
      this.count = make("p", { class: "note", role: "status" });
      this.head = make("thead");
      this.body = make("tbody");
      this.more = make("button", { type: "button", class: "more", onclick: () => { this.shown += 10 * PAGE; this.draw(); } }, "show more");
      this.search.addEventListener("input", () => { this.shown = PAGE; this.draw(); });
      this.filter.addEventListener("change", () => { this.shown = PAGE; this.draw(); });
      section.append(make("div", { class: "controls" }, ...this.kinds, this.search, this.filter), this.detail, this.count,
        make("div", { class: "wide" }, make("table", { class: "list" }, this.head, this.body)), this.more);
      this.draw();
    }
    get side() { return this.system[this.kind]; }
    get other() { return this.system[this.kind === "clusters" ? "classes" : "clusters"]; }
    grouped(codes, kind) {
      const lines = this.system[kind].names.map(() => []);
      this.system[codes].forEach((line, cell) => lines[line].push(cell));
      for (const cells of lines) cells.sort((a, b) => this.system.counts[b] - this.system.counts[a]);
      return lines;
    }
    get noun() { return this.kind === "clusters" ? "cluster" : "class"; }
    across(cell) { return this.system[this.kind === "clusters" ? "rows" : "cols"][cell]; }
    turn(kind) {
      this.kind = kind;
      this.shown = PAGE;
      this.detail.hidden = true;
      for (const button of this.kinds) button.setAttribute("aria-pressed", String(button.dataset.kind === kind));
      this.draw();
    }
    found() {
      const { side, other } = this, words = this.search.value.trim().toLowerCase();
      const tests = { all: () => true, several: (i) => side.parts[i] > 1, pure: (i) => side.parts[i] === 1, alone: (i) => side.sizes[i] === 1 };
      const test = tests[this.filter.value];
      const fits = (i) => !words || side.names[i].toLowerCase().includes(words)
        || this.cells[this.kind][i].some((cell) => other.names[this.across(cell)].toLowerCase().includes(words));
      const indices = side.names.map((_, i) => i).filter((i) => test(i) && fits(i));
      const [column, way] = this.sort, values = side[column];
      const compare = column === "names"
        ? (a, b) => values[a].localeCompare(values[b], "en", { numeric: true })
        : (a, b) => (values[a] ?? -Infinity) - (values[b] ?? -Infinity);
      return indices.sort((a, b) => way * compare(a, b) || a - b);
    }
    draw() {
      const { side } = this, indices = this.found();
      this.head.replaceChildren(make("tr", {}, ...Object.entries(COLUMNS).map(([key, [title, meaning]]) => {
        const text = key === "names" ? this.noun : key === "fixed" ? `${this.system.measure} if repaired` : title;
        const way = this.sort[0] === key ? this.sort[1] : 0;
        const button = make("button", { type: "button", title: meaning || null, onclick: () => this.order(key) }, text + (way > 0 ? " ▲" : way < 0 ? " ▼" : ""));
        return make("th", { scope: "col", class: key === "names" ? "" : "number", "aria-sort": way > 0 ? "ascending" : way < 0 ? "descending" : "none" }, button);
      })));
      this.body.replaceChildren(...indices.slice(0, this.shown).map((i) => this.row(i)));
      const noun = this.kind, left = side.left ? `; ${number.format(side.left)} more, which add least to VI, are not on this page` : "";
      this.count.textContent = `${number.format(indices.length)} of ${number.format(side.names.length)} ${noun}${left}.`;
      this.more.hidden = indices.length <= this.shown;
    }
    order(key) {
      const same = this.sort[0] === key;
      this.sort = [key, same ? -this.sort[1] : key === "names" ? 1 : -1];
      this.draw();
      const index = Object.keys(COLUMNS).indexOf(key);
      this.head.rows[0].cells[index].firstChild.focus();
    }
    row(i) {
      const { side, other } = this, first = this.cells[this.kind][i][0];
      const largest = first === undefined ? "" : ` · ${other.names[this.across(first)]}`;
      return make("tr", { onclick: () => this.show(i) },
        make("td", {}, make("button", { type: "button", onclick: (event) => { event.stopPropagation(); this.show(i); } }, side.names[i])),
        make("td", { class: "number" }, number.format(side.sizes[i])), make("td", { class: "number" }, number.format(side.parts[i])),
        make("td", { class: "what" }, `${percent(side.pure[i])}${largest}`), make("td", { class: "number" }, percent(side.vi[i])),
        make("td", { class: "number" }, side.fixed[i] === null ? "–" : side.fixed[i].toFixed(4)));
    }
    open(kind, index) {
      if (this.kind !== kind) this.turn(kind);
      this.show(index);
    }
    show(i) {
      this.from = document.activeElement; // gets the focus back on close
      const { side, other, system } = this, cells = this.cells[this.kind][i];
      const held = cells.reduce((sum, cell) => sum + system.counts[cell], 0), size = side.sizes[i];
      const { noun } = this, others = this.kind === "clusters" ? "classes" : "clusters";
      const list = make("ul", {}, ...cells.slice(0, 60).map((cell) => {
        const share = system.counts[cell] / size, fill = make("div", { class: "fill" });
        fill.style.width = `${100 * share}%`;
        const items = system.items[cell];
        const examples = items ? [make("span", { class: "examples" }, (items.length < system.counts[cell] ? "for example " : "") + items.join(", "))] : [];
        return make("li", {}, make("span", {}, other.names[this.across(cell)]), make("div", { class: "track" }, fill),
          make("span", { class: "number" }, `${number.format(system.counts[cell])} · ${percent(share)}`), ...examples);
      }));
      const rest = side.parts[i] - Math.min(cells.length, 60);
      const more = rest > 0 ? [make("p", { class: "note" }, `and ${number.format(rest)} more ${others}`
        + (cells.length <= 60 ? ` with ${number.format(size - held)} items` : ""))] : [];
      this.detail.replaceChildren(make("h3", {}, `${noun} ${side.names[i]}: ${number.format(size)} items in ${number.format(side.parts[i])} ${side.parts[i] === 1 ? (noun === "cluster" ? "class" : "cluster") : others}`),
        list, ...more, make("button", { type: "button", onclick: () => { this.detail.hidden = true; this.from?.focus(); } }, "close"));
      this.detail.hidden = false;
      this.detail.scrollIntoView({ block: "nearest" });
      this.detail.focus({ preventScroll: true });
    }
  }
  const explorers = Object.fromEntries([...document.querySelectorAll(".explore")].map((section) =>
    [section.dataset.system, new Explorer(section, systems[section.dataset.system])]));
})();
