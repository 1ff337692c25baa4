// What is nicer with JavaScript; every page works without it.
"use strict";

const EVERY = 4000;
const SLOWEST = 60000;

/** Look whether the standings changed, and put the new ones in place of the old ones. */
function follow(live) {
  let wait = EVERY;
  const later = () => setTimeout(look, wait * (0.9 + 0.2 * Math.random()));

  async function look() {
    try {
      if (!document.hidden) {
        const answer = await fetch(`/api/boards/${live.dataset.board}/version`);
        if (!answer.ok) throw new Error(answer.status);
        const { state } = await answer.json();
        if (state !== live.dataset.state) await renew(live);
        wait = live.dataset.state.endsWith("pending") ? 1000 : EVERY;
      }
    } catch {
      wait = Math.min(SLOWEST, wait * 2);
    }
    later();
  }

  document.addEventListener("visibilitychange", () => { wait = EVERY; });
  later();
}

async function renew(live) {
  const answer = await fetch(location.pathname);
  if (!answer.ok) throw new Error(answer.status);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("live");
  const open = Array.from(live.querySelectorAll("details"), (part) => part.open);
  const focused = document.activeElement;
  const place = stops(live).indexOf(focused);
  const before = new Set(rows(live).map((row) => row.textContent));
  live.dataset.state = fresh.dataset.state;
  live.replaceChildren(...fresh.childNodes);
  live.querySelectorAll("details").forEach((part, nth) => { part.open = open[nth] ?? false; });
  if (place >= 0) (stops(live).find(({ href }) => href && href === focused.href) ?? stops(live)[place])?.focus({ preventScroll: true });
  const changed = rows(live).filter((row) => !before.has(row.textContent));
  changed.forEach((row) => row.classList.add("changed"));
  if (changed.length) document.getElementById("said").textContent = live.dataset.said;
  localTimes(live);
}

/** Where the Tab key stops. */
const stops = (live) => Array.from(live.querySelectorAll("a, summary, [tabindex]"));

const rows = (live) => Array.from(live.querySelectorAll(".standings tbody tr"));

/** Times are written in the board's zone; a pointer over one shows the reader's own. */
function localTimes(part) {
  const form = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  for (const time of part.querySelectorAll("time")) time.title = form.format(new Date(time.dateTime));
}

/** Tell at once that a file is too large, and that a file is on its way. */
function watch(form) {
  const file = form.elements.file;
  const wrong = document.getElementById("file-wrong");
  const button = form.querySelector("button");
  const words = button.textContent;
  file.addEventListener("change", () => {
    const isTooLarge = file.files.length > 0 && file.files[0].size > Number(form.dataset.most);
    wrong.textContent = isTooLarge ? form.dataset.tooLarge : "";
    file.toggleAttribute("aria-invalid", isTooLarge);
  });
  form.addEventListener("submit", (event) => {
    if (wrong.textContent) {
      event.preventDefault();
      file.focus();
      return;
    }
    button.disabled = true;
    button.textContent = form.dataset.sending;
  });
  addEventListener("pageshow", () => {
    button.disabled = false;
    button.textContent = words;
  });
}

/** A button beside a new token. */
function offerCopy(button) {
  if (!navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = button.dataset.copied;
  });
}

localTimes(document);
const live = document.getElementById("live");
if (live) follow(live);
const form = document.getElementById("submit");
if (form) watch(form);
document.querySelectorAll("[data-copy]").forEach(offerCopy);
