"use strict";
// Files and options are sent to the local server in one request; the answer is a page, shown in a sandboxed frame.
(() => {
  const at = (id) => document.getElementById(id);
  const form = at("form"), drop = at("drop"), input = at("files"), list = at("chosen"), frame = at("report");
  const { token, limit } = document.body.dataset;
  let files = [], page = "", asked = 0, waiting = 0;

  function say(text, wrong = "") {
    at("status").textContent = text;
    at("error").textContent = wrong;
    at("error").hidden = !wrong;
  }

  function show() {
    list.replaceChildren(...files.map((file, index) => {
      const line = document.createElement("li"), button = document.createElement("button");
      button.type = "button";
      button.textContent = "×";
      button.setAttribute("aria-label", `leave out ${file.name}`);
      button.addEventListener("click", () => { files.splice(index, 1); show(); if (files.length) ask(); else refuse(""); });
      line.append(`${file.name}${files.length > 1 && index === 0 ? " is gold" : ""} `);
      if (files.length > 1 && index > 0) {
        const first = document.createElement("button");
        first.type = "button";
        first.textContent = "make it gold";
        first.addEventListener("click", () => { files.unshift(...files.splice(index, 1)); show(); ask(); });
        line.append(first);
      }
      line.append(button);
      return line;
    }));
  }

  function add(more) {
    const first = !files.length;
    files.push(...more);
    const gold = !first ? 0 : files.findIndex(({ name }) => /gold|truth|true|reference|annotat|\.key$/i.test(name));
    if (gold > 0) files.unshift(...files.splice(gold, 1));
    show();
    ask();
  }

  function pasted() {
    const texts = [["gold.labels", at("gold-text").value], ["pasted.labels", at("pred-text").value]];
    if (!texts.every(([, text]) => text.trim())) return [];
    return texts.map(([name, text]) => new File([text.replace(/\s+$/, "") + "\n"], name));
  }

  async function ask() {
    const sent = files.length ? files : pasted();
    if (!sent.length) return refuse("There are no labels yet: choose a file with gold and predicted labels, or paste both.");
    if (sent.reduce((sum, file) => sum + file.size, 0) > Number(limit)) {
      return refuse(`The files have more than ${Math.round(limit / 1e6)} MB; use karat report on the command line.`);
    }
    const own = ++asked, started = performance.now();
    say("working …");
    const options = Object.fromEntries([...new FormData(form)].filter(([, value]) => typeof value === "string" && value.trim()));
    const head = new TextEncoder().encode(JSON.stringify({ files: sent.map(({ name, size }) => ({ name, size })), options }));
    try {
      const answer = await fetch("/report", {
        method: "POST", body: new Blob([head.length.toString(16).padStart(8, "0"), head, ...sent]),
        headers: { "x-karat-token": token, "content-type": "application/octet-stream" },
      });
      const text = await answer.text();
      if (own !== asked) return; // superseded by a later request
      if (!answer.ok) return refuse(answer.headers.get("content-type") === "application/json" ? JSON.parse(text).error : text);
      page = text;
      frame.srcdoc = page;
      frame.hidden = false;
      at("save").disabled = false;
      say(`done in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    } catch (problem) {
      if (own === asked) refuse(`The server does not answer (${problem.message}); is karat app still running?`);
    }
  }

  function refuse(why) { // hide the report, which no longer matches the options
    asked++; // ignore requests under way
    page = "";
    frame.hidden = true;
    at("save").disabled = true;
    say("", why);
  }

  function again() {
    if (!asked) return;
    clearTimeout(waiting);
    waiting = setTimeout(ask, 400);
  }

  form.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
  form.addEventListener("change", (event) => { if (event.target.name) again(); });
  input.addEventListener("change", () => { add([...input.files]); input.value = ""; });
  for (const kind of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.toggle("over", kind === "dragover"); });
  }
  drop.addEventListener("drop", (event) => add([...event.dataTransfer.files]));
  at("save").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([page], { type: "text/html" }));
    link.download = "report.html";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
})();
