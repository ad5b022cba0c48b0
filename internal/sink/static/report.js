// Nothing here is needed for reading: it sorts and filters the tables and copies commands.
"use strict";
for (const table of document.querySelectorAll("table.ranked")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const key = (row, i) => {
    const cell = row.cells[i];
    return cell.dataset.key === undefined ? cell.textContent.trim() : Number(cell.dataset.key);
  };
  heads.forEach((head, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    const falling = i > 4; // figures: the largest first
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const down = before === null ? falling : before === "ascending";
      heads.forEach((h) => h.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].sort((a, b) => {
        const x = key(a, i), y = key(b, i);
        const order = typeof x === "number" ? x - y : x.localeCompare(y);
        return (down ? -order : order) || key(a, 0) - key(b, 0);
      });
      body.append(...rows);
    });
  });
  if (body.rows.length < 8) continue;
  const bar = document.createElement("p");
  bar.className = "filter";
  const label = document.createElement("label");
  label.textContent = "Filter ";
  const input = document.createElement("input");
  input.type = "search";
  label.append(input);
  const shown = document.createElement("span");
  shown.setAttribute("role", "status");
  bar.append(label, shown);
  table.before(bar);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const row of body.rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) n++;
    }
    shown.textContent = words.length ? n + " of " + body.rows.length : "";
  });
}
for (const pre of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  const say = (word) => {
    button.textContent = word;
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  };
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      say("Copied");
    } catch {
      getSelection().selectAllChildren(pre);
      say("Selected: copy it with the keyboard");
    }
  });
  pre.after(button);
}
