const PAGE = 50;
const PLACES = 4;
const FINGER = 24;
const FOLDED = 48;
const given = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement;

/** A text of the catalogue with its values filled in. */
const say = (key, values = {}) => given.texts[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);

/** An element with attributes, and children that are elements or text: never markup. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const isolated = (text) => make("bdi", {}, text);

/** A number as Python writes it: halves go to the even digit, and nothing has no minus before it. */
function fixed(value, places = PLACES) {
  const exact = value.toFixed(100);
  const end = exact.indexOf(".") + 1 + places;
  const isHalfToEven = /^50*$/.test(exact.slice(end)) && "02468".includes(exact[end - 1]);
  const text = isHalfToEven ? exact.slice(0, end) : value.toFixed(places);
  return Number(text) ? text : text.replace("-", "");
}

/** Whether two values of a measure are equal: `core.equal` says the same. */
const isEqual = (a, b) => a === b || (a !== null && b !== null && Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a), Math.abs(b)));

const shown = (value, places) => (value === null ? "" : fixed(value, places));

/** A value of a measure: counts, of which neither more nor less is better, are whole numbers. */
const valueOf = (data, measure, value) => shown(value, data.directions[measure] === 0 && Number.isInteger(value) ? 0 : data.digits);

// --- light and dark

const night = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : night.matches);

function paint() {
  root.dataset.shown = isDark() ? "dark" : "light";
  document.getElementById("theme").textContent = say(isDark() ? "light" : "dark");
  return drawAll();
}

function startTheme() {
  const button = document.getElementById("theme");
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    paint();
  });
  night.addEventListener("change", paint);
}

// --- figures

let round = 0;

async function drawAll() {
  const mine = ++round;
  delete root.dataset.ready;
  for (const place of document.querySelectorAll("[data-figure]")) {
    if (mine !== round) return;
    await draw(place);
    if (mine > 1) await new Promise((done) => setTimeout(done)); // the first ones are there when the page has loaded
  }
  if (mine === round) root.dataset.ready = "yes";
}

/** The same plot, of which one cannot move or zoom away from what it shows at first: from ends_x and ends_y. */
function bounded(spec) {
  const ends = new Set();
  for (const step of spec.signals.flatMap(({ on }) => on ?? [])) {
    const way = /^(?:pan|zoom)\w+\(.*?(?:extent_|domain\(")(x|y)/.exec(step.update)?.[1];
    if (!way) continue;
    step.update = `clampRange(${step.update}, ends_${way}[0], ends_${way}[1])`;
    ends.add(`ends_${way}`);
  }
  return { ...spec, signals: [...[...ends].map((name) => ({ name, value: [-Infinity, Infinity] })), ...spec.signals] };
}

/** A finger does not hover: where it taps, the nearest mark tells its numbers. */
function tapped({ pointerType, clientX, clientY, currentTarget }) {
  if (pointerType === "mouse") return;
  let [nearest, least] = [null, FINGER];
  for (const mark of currentTarget.querySelectorAll(".mark-symbol.role-mark path")) {
    const box = mark.getBoundingClientRect();
    const far = Math.hypot(box.x + box.width / 2 - clientX, box.y + box.height / 2 - clientY);
    if (far < least) [nearest, least] = [mark, far];
  }
  nearest?.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX, clientY }));
}

function startTouch() {
  for (const place of document.querySelectorAll("[data-figure]")) place.addEventListener("click", tapped);
  addEventListener("pointerdown", () => document.getElementById("vg-tooltip-element")?.classList.remove("visible"));
}

async function draw(place) {
  const name = place.dataset.figure;
  const theme = isDark() ? "dark" : "light";
  const options = {
    mode: "vega-lite",
    renderer: "svg",
    ast: true,
    config: { ...given.themes[theme], aria: false },
    tooltip: { theme },
    patch: bounded,
    downloadFileName: name,
    actions: { export: true, source: false, compiled: false, editor: false },
    i18n: { SVG_ACTION: say("save_svg"), PNG_ACTION: say("save_png") },
  };
  place.finalize?.();
  const drawn = await window.vegaEmbed(place, structuredClone(given.figures[name]), options);
  place.finalize = drawn.finalize;
  for (const way of drawn.vgSpec.signals.map(({ name }) => /^ends_(x|y)$/.exec(name)?.[1]).filter(Boolean)) {
    const ends = drawn.view.scale(way).domain();
    drawn.view.signal(`ends_${way}`, [ends[0], ends.at(-1)]);
  }
  const picture = place.querySelector("svg.marks");
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", given.alts[name]);
  for (const part of picture.children) part.setAttribute("aria-hidden", "true");
  place.querySelector("summary")?.setAttribute("aria-label", `${say("save_svg")}, ${say("save_png")}`);
}

// --- on paper

let closed = [];

/** What is folded is printed too. */
function startPaper() {
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("main details:not([open], .vega-embed details)")];
    for (const one of closed) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of closed) one.open = false;
  });
}

// --- the table of queries

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

class Queries {
  constructor(data) {
    this.data = data;
    this.several = data.systems.length > 1;
    this.measure = Object.keys(data.values)[0];
    const down = this.several || data.directions[this.measure] < 0;
    this.state = { text: "", which: "all", page: 0, column: this.several ? data.systems.length : 0, down };
    this.place = document.getElementById("queries-table");
    this.build();
    this.update();
  }

  get columns() {
    return this.data.values[this.measure];
  }

  /** What a query is sorted by: its id (column -1), a system's value, or how far the systems are apart. */
  key(query) {
    const { column } = this.state;
    if (column === this.data.systems.length) return this.apart(query);
    return this.columns[column][query];
  }

  apart(query) {
    const values = this.columns.map((column) => column[query]);
    return values.includes(null) ? null : Math.max(...values) - Math.min(...values);
  }

  /** By how much the first value is better than the second: below 0 where it is worse, 0 where they are equal. */
  gain(value, other) {
    if (isEqual(value, other) || value === null || other === null) return 0;
    return (value - other) * (this.data.directions[this.measure] || 1);
  }

  isWanted(query) {
    const base = this.columns[this.data.reference][query];
    const others = this.columns.filter((_, system) => system !== this.data.reference).map((column) => column[query]);
    switch (this.state.which) {
      case "better": return others.some((value) => this.gain(value, base) > 0);
      case "worse": return others.some((value) => this.gain(value, base) < 0);
      case "differ": return others.some((value) => !isEqual(value, base));
      case "zero": return this.columns.some((column) => column[query] === 0);
      default: return true;
    }
  }

  /** What a query is found by: its id and the beginning of its text. */
  says(query) {
    return `${this.data.queries[query]} ${this.data.texts?.[query] ?? ""}`;
  }

  /** The wanted queries in order; equal ones stay as they were. */
  found() {
    const text = this.state.text.toLowerCase();
    const rows = [...this.data.queries.keys()].filter(
      (query) => this.says(query).toLowerCase().includes(text) && this.isWanted(query),
    );
    const turn = this.state.down ? -1 : 1;
    if (this.state.column < 0) return this.state.down ? rows.reverse() : rows;
    const keys = new Map(rows.map((query) => [query, this.key(query)]));
    const isLast = (query) => keys.get(query) === null;
    return rows.sort((a, b) => isLast(a) - isLast(b) || turn * (keys.get(a) - keys.get(b)) || a - b);
  }

  build() {
    const { systems, reference } = this.data;
    const change = (key) => (event) => this.update({ [key]: event.target.value, page: 0 });
    const option = ([value, text]) => make("option", { value }, text);
    const base = { reference: systems[reference] };
    const kinds = [["all", say("show_all")]];
    if (this.several) {
      kinds.push(["better", say("show_better", base)], ["worse", say("show_worse", base)], ["differ", say("show_differ")]);
    }
    kinds.push(["zero", say("show_zero")]);
    const controls = make(
      "div",
      { class: "controls" },
      make("label", {}, say("filter"), make("input", { type: "search", id: "filter", placeholder: say("filter_hint"), oninput: change("text") })),
      make("label", {}, say("measure"), make("select", { id: "measure", onchange: (event) => this.choose(event.target.value) }, Object.keys(this.data.values).map((name) => option([name, name])))),
      make("label", {}, say("show"), make("select", { id: "which", onchange: change("which") }, kinds.map(option))),
    );
    this.head = make("tr");
    this.body = make("tbody");
    this.caption = make("caption");
    this.status = make("span", { role: "status" });
    const turn = (step) => () => this.update({ page: this.state.page + step });
    this.before = make("button", { type: "button", onclick: turn(-1) }, say("previous"));
    this.after = make("button", { type: "button", onclick: turn(1) }, say("next"));
    const table = make("table", {}, this.caption, make("thead", {}, this.head), this.body);
    const title = say("to_scroll", { title: say("all_queries") });
    this.place.replaceChildren(
      controls,
      make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": title }, table),
      make("div", { class: "pager" }, this.before, this.after, this.status),
    );
    this.heads();
  }

  /** The headings, which sort. */
  heads() {
    const names = [say("query"), ...this.data.systems];
    if (this.several) names.push(say("spread_column"));
    this.head.replaceChildren(
      ...names.map((name, place) =>
        make(
          "th",
          { scope: "col", class: place ? "number" : null },
          make("button", { type: "button", title: say("sort_by", { column: name }), onclick: () => this.sort(place - 1) }, isolated(name)),
        ),
      ),
    );
  }

  sort(column) {
    const down = this.state.column === column ? !this.state.down : column === this.data.systems.length;
    this.update({ column, down, page: 0 });
  }

  choose(measure) {
    this.measure = measure;
    this.update({ page: 0 });
  }

  update(change = {}) {
    Object.assign(this.state, change);
    const rows = this.found();
    const first = this.state.page * PAGE;
    const page = rows.slice(first, first + PAGE);
    this.top = this.columns.reduce((top, column) => column.reduce((a, b) => Math.max(a, b), top), 0) || 1;
    this.caption.textContent = `${say("all_queries")}, ${this.measure}`;
    this.body.replaceChildren(...page.map((query) => this.row(query)));
    const last = first + page.length;
    this.status.textContent = rows.length ? say("of", { from: (first + 1).toLocaleString("en"), to: last.toLocaleString("en"), total: rows.length.toLocaleString("en") }) : say("none");
    this.before.disabled = !first;
    this.after.disabled = last >= rows.length;
    [...this.head.children].forEach((cell, place) => {
      if (place - 1 === this.state.column) cell.setAttribute("aria-sort", this.state.down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
  }

  row(query) {
    const values = this.columns.map((column) => column[query]);
    const isSplit = this.data.directions[this.measure] !== 0 && values.some((value) => values.some((other) => this.gain(value, other) > 0));
    const isBest = (value) => isSplit && value !== null && values.every((other) => this.gain(other, value) <= 0);
    const cells = values.map((value) => {
      const cell = make("td", { class: `number bar${isBest(value) ? " best" : ""}`, "data-value": String(value) }, isolated(valueOf(this.data, this.measure, value)));
      cell.style.setProperty("--share", Math.max(0, value / this.top));
      return cell;
    });
    if (this.several) cells.push(make("td", { class: "number", "data-value": String(this.apart(query)) }, isolated(valueOf(this.data, this.measure, this.apart(query)))));
    const open = make("button", { type: "button", class: "link", onclick: () => openQuery(this.data, query) }, isolated(this.data.queries[query]));
    const text = this.data.texts?.[query];
    const said = text ? make("span", { class: "said", title: text }, isolated(text)) : null;
    return make("tr", {}, make("th", { scope: "row" }, open, said), cells);
  }
}

// --- one query

function openQuery(data, query) {
  const dialog = document.getElementById("query");
  const close = make("button", { type: "button", onclick: () => dialog.close() }, say("close"));
  const title = make("h2", { id: "query-title" }, `${say("query")} `, isolated(data.queries[query]));
  dialog.replaceChildren(
    make("div", { class: "top" }, title, close),
    ...(data.texts?.[query] ? [make("p", { class: "query-text" }, isolated(data.texts[query]))] : []),
    valuesOf(data, query),
    ...(data.answers?.left_out ?? []).map((text) => make("p", { class: "quiet" }, text)),
    make("div", { class: "columns" }, data.systems.map((_, system) => answerOf(data, query, system))),
  );
  dialog.onclose = () => address("");
  dialog.onclick = (event) => {
    if (event.target === dialog) dialog.close(); // a handler that returns false would keep what is folded shut
  };
  address(`#query=${encodeURIComponent(data.queries[query])}`);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

/** The query that the address names, also where a link changes no more of it than that. */
function openNamed(data) {
  if (!location.hash.startsWith("#query=")) return;
  let name = location.hash.slice("#query=".length);
  try {
    name = decodeURIComponent(name);
  } catch {
    // typed by hand: 100%
  }
  const wanted = data.queries.indexOf(name);
  if (wanted >= 0) openQuery(data, wanted);
}

/** The address says which query is open, so that it can be sent. */
function address(hash) {
  try {
    history.replaceState(null, "", hash || location.pathname + location.search);
  } catch {
    // a page without an address of its own
  }
}

function valuesOf(data, query) {
  const names = Object.keys(data.values);
  const rows = data.systems.map((system, place) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, isolated(system)),
      names.map((name) => make("td", { class: "number", "data-value": String(data.values[name][place][query]) }, valueOf(data, name, data.values[name][place][query]))),
    ),
  );
  return grid(data.queries[query], ["", ...names.map((name) => `>${name}`)], rows);
}

/** A table; headings that begin with > stand above numbers. */
function grid(title, names, rows) {
  const heads = names.map((name) => {
    const isNumber = name.startsWith(">");
    const text = isNumber ? name.slice(1) : name;
    return text ? make("th", { scope: "col", class: isNumber ? "number" : null }, text) : make("td");
  });
  const table = make("table", {}, make("thead", {}, make("tr", {}, heads)), make("tbody", {}, rows));
  return make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": say("to_scroll", { title }) }, table);
}

function answerOf(data, query, system) {
  const title = make("h3", {}, isolated(data.systems[system]));
  const { answers } = data;
  const list = answers?.lists[system][query];
  if (!answers) return make("section", {}, title, make("p", { class: "quiet" }, say("no_list")));
  const parts = [title];
  if (list) parts.push(summary(answers, query, system, list), listOf(answers, query, system, data.systems[system]));
  else parts.push(make("p", { class: "quiet" }, say(isAnswered(answers, query) ? "unanswered" : "no_list")));
  parts.push(...beyond(answers, query, system, list), ...workings(data, query, system));
  return make("section", {}, parts);
}

/** Whether the page has the list of any system; where it has, one without a list did not answer. */
const isAnswered = (answers, query) => answers.lists.some((lists) => lists[query]);

const gradesOf = (answers, query) => new Map(answers.judged[query][0].map((doc, place) => [doc, answers.judged[query][1][place]]));

function summary(answers, query, system, list) {
  const top = relevantIn(answers, query, list);
  const counts = { found: answers.found[system][query], all: answers.relevant[query], top, k: answers.depth };
  return make("p", {}, `${say(list[2] === 1 ? "returned_one" : "returned", { n: list[2].toLocaleString("en") })} ${say("relevant_of", counts)}`);
}

/** What a document that is not relevant is: below 0 it was in the pool, but it is unjudged. */
const kindOf = (grade) => (grade === undefined ? "unjudged_mark" : grade < 0 ? "not_judged" : "not_relevant");

/** The beginning of a document's text, what is long being folded. */
function textOf(answers, doc) {
  const text = answers.texts?.[doc];
  if (!text) return null;
  const letters = [...text];
  if (letters.length <= FOLDED) return make("div", { class: "said" }, isolated(text));
  const summary = make("summary", {}, isolated(`${letters.slice(0, FOLDED).join("").trimEnd()}…`));
  return make("details", { class: "said" }, summary, make("p", {}, isolated(text)));
}

/** Documents in a sentence; where there are texts, one below another. */
function named(answers, title, docs, tell) {
  if (!answers.texts) return make("p", {}, make("strong", {}, title), `: ${docs.map(tell).join(", ")}`);
  const items = docs.map((doc, place) => make("li", {}, tell(doc, place), doc === null ? null : textOf(answers, doc)));
  return make("div", { class: "named" }, make("strong", {}, title), make("ul", {}, items));
}

function listOf(answers, query, system, name) {
  const [docs, scores, , calls] = answers.lists[system][query];
  const isScored = answers.is_scored[system];
  const grades = gradesOf(answers, query);
  const areEqual = (one, other) => scores[one] === scores[other] && calls[one] === calls[other];
  const rows = docs.map((doc, place) => {
    const grade = grades.get(doc);
    const isRelevant = grade >= answers.level;
    const isTied = areEqual(place, place - 1) || areEqual(place, place + 1);
    const tied = isTied ? make("span", { class: "quiet" }, ` ${say("tied")}`) : null;
    const judged = isRelevant ? `✓ ${say("relevant")}` : say(kindOf(grade));
    return make(
      "tr",
      { class: isRelevant ? "relevant" : null },
      make("td", { class: "number" }, String(place + 1), isScored ? null : tied),
      calls.length ? make("td", { class: "number" }, String(calls[place])) : null,
      make("th", { scope: "row" }, isolated(answers.docs[doc]), textOf(answers, doc)),
      isScored ? make("td", { class: "number", "data-value": String(scores[place]) }, brief(scores[place]), tied) : null,
      make("td", { class: "mark" }, judged),
      make("td", { class: "number" }, grade === undefined ? "" : String(grade)),
    );
  });
  const ranks = [`>${say("rank")}`, ...(calls.length ? [`>${say("call")}`] : [])];
  const score = isScored ? [`>${say("score")}`] : [];
  return grid(name, [...ranks, say("document"), ...score, say("show_judged"), `>${say("grade")}`], rows);
}

/** A score with as many digits as are worth reading; the whole of it is in data-value. */
const brief = (score) => String(Number(score.toPrecision(6)));

/** How many relevant documents stand in the shown part of a list. */
function relevantIn(answers, query, list) {
  const grades = gradesOf(answers, query);
  return list ? new Set(list[0].filter((doc) => grades.get(doc) >= answers.level)).size : 0;
}

/** What is relevant and not in the list: further down, or nowhere. */
function beyond(answers, query, system, list) {
  if (!list && !isAnswered(answers, query)) return [];
  const [docs, ranks] = answers.below[system][query];
  const seen = new Set([...(list ? list[0] : []), ...docs]);
  const [judged, grades] = answers.judged[query];
  const lost = judged.filter((doc, place) => grades[place] >= answers.level && !seen.has(doc));
  const missing = answers.relevant[query] - answers.found[system][query];
  const lower = answers.found[system][query] - relevantIn(answers, query, list);
  const isolate = (doc) => `\u2068${answers.docs[doc]}\u2069`;
  const ranked = (doc, place) => say("at_rank", { doc: isolate(doc), rank: ranks[place].toLocaleString("en") });
  return [["also_found", docs, lower, ranked], ["not_found", lost.slice(0, missing), missing, isolate]].flatMap(([title, told, all, tell]) => {
    const rest = all - told.length;
    const each = (doc, place) => (doc === null ? say("and_more", { n: rest }) : tell(doc, place));
    return all > 0 ? [named(answers, say(title), rest > 0 ? [...told, null] : told, each)] : [];
  });
}

/** Each measure worked out: what documents add, and the steps to the result. */
function workings(data, query, system) {
  const name = data.systems[system];
  return Object.entries(data.answers.worked).flatMap(([measure, systems]) => {
    const steps = systems[system][query];
    if (!steps) return [];
    const [terms, lines] = steps;
    const parts = [make("summary", {}, say("worked", { measure }))];
    if (terms.length) {
      const rows = terms.map(([rank, doc, how, value]) =>
        make("tr", {}, make("td", { class: "number" }, String(rank)), make("th", { scope: "row" }, isolated(doc)), make("td", {}, how), make("td", { class: "number" }, shown(value))),
      );
      parts.push(grid(`${name}, ${measure}`, [`>${say("rank")}`, say("document"), "", `>${say("adds")}`], rows));
    }
    const rows = lines.map(([name, how, value, places]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, how), make("td", { class: "number", "data-value": String(value) }, shown(value, places))));
    const table = make("table", {}, make("tbody", {}, rows));
    parts.push(make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": `${name}: ${say("worked", { measure })}` }, table));
    return [make("details", {}, parts)];
  });
}

async function startQueries() {
  const packed = document.getElementById("queries-data");
  if (!packed) return;
  if (typeof DecompressionStream === "undefined") {
    packed.before(make("p", { class: "note" }, say("too_old")));
    return;
  }
  const data = await unpacked(packed.textContent);
  new Queries(data);
  root.dataset.queries = "ready";
  addEventListener("hashchange", () => openNamed(data));
  openNamed(data);
}

startTheme();
startPaper();
startTouch();
await Promise.all([startQueries(), paint()]);
