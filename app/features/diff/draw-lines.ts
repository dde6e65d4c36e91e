import highlighter from "highlight.js/lib/common";
import { type Budget, signsOf } from "~/nouns/reviews/common-lines";
import type { PatchLine } from "~/wire/agent-jobs/patch";

highlighter.registerAliases(["cfg", "conf"], { languageName: "ini" });
highlighter.registerAliases(["gemfile", "rakefile"], { languageName: "ruby" });
highlighter.registerAliases(["htm", "vue"], { languageName: "xml" });
highlighter.registerAliases("m", { languageName: "objectivec" });
highlighter.registerAliases("pyi", { languageName: "python" });

/** Pairs of words compared in a file, and letters of a line. Beyond that, lines are changed as a whole. */
const [mostPairs, longest] = [200_000, 500];

/** The lines of hunks as HTML: highlighted where the language is known, the words that changed as `<mark>`. */
export function drawLines(path: string, hunks: readonly (readonly PatchLine[])[]): string[][] {
  const ending = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf(".")) + 1).toLowerCase();
  const language = highlighter.getLanguage(ending) ? ending : "plaintext";
  const budget = { pairs: mostPairs, isSpent: false };
  return hunks.map((lines) => {
    const sideWithout = (kind: PatchLine["kind"]) => {
      const code = lines.flatMap((line) => (line.kind === kind ? [] : line.text)).join("\n");
      return linesOf(highlighter.highlight(code, { language, ignoreIllegals: true }).value).values();
    };
    const [old, next, changed] = [sideWithout("added"), sideWithout("deleted"), changedLetters(lines, budget)];
    return lines.map((line) => {
      const ofOld = line.kind === "added" ? undefined : old.next().value;
      const ofNew = line.kind === "deleted" ? undefined : next.next().value;
      return withMarks(ofNew ?? ofOld ?? "", changed.get(line));
    });
  });
}

/** highlight.js escapes its input and adds only classes. Closes spans at a line's end, and reopens them on the next. */
function linesOf(html: string): string[] {
  const open: string[] = [];
  return html.split("\n").map((line) => {
    const beginning = open.join("");
    for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) {
      if (tag === "</span>") open.pop();
      else open.push(tag);
    }
    return `${beginning}${line}${"</span>".repeat(open.length)}`;
  });
}

/** Deleted lines that an added one is compared with. */
const nearest = 4;

/** A sign for each letter of lines that are like one on the other side: `+` for what that does not have. */
function changedLetters(lines: readonly PatchLine[], budget: Budget): Map<PatchLine, string> {
  const found = new Map<PatchLine, string>();
  let old: PatchLine[] = [];
  let first = 0;
  for (const line of lines) {
    if (line.kind === "same") [old, first] = [[], 0];
    else if (line.kind === "deleted") old.push(line);
    else {
      for (const [place, before] of old.slice(first, first + nearest).entries()) {
        const letters = compareWords(before.text, line.text, budget);
        if (letters === null) continue;
        found.set(before, letters.old).set(line, letters.next);
        first += place + 1;
        break;
      }
    }
  }
  return found;
}

/** Null for lines that have less than half of their letters in common. */
function compareWords(before: string, now: string, budget: Budget): { old: string; next: string } | null {
  if (budget.pairs <= 0 || before.length > longest || now.length > longest) return null;
  const [left, right] = [wordsOf(before), wordsOf(now)];
  budget.pairs -= 10;
  const letters = { old: "", next: "" };
  let [at, to, common] = [0, 0, 0];
  for (const sign of signsOf(left, right, budget)) {
    const { text = "" } = (sign === "-" ? left[at] : right[to]) ?? {};
    const signs = (sign === " " ? " " : "+").repeat(text.length);
    if (sign !== "+") [at, letters.old] = [at + 1, letters.old + signs];
    if (sign !== "-") [to, letters.next] = [to + 1, letters.next + signs];
    if (sign === " ") common += weightOf(text);
  }
  return common > 0 && common * 4 >= weightOf(before) + weightOf(now) ? letters : null;
}

const wordsOf = (text: string) =>
  (text.match(/[\p{L}\p{N}_]+|\s+|./gsu) ?? []).map((word) => ({ text: word, isUnended: false }));

const weightOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, "").length;

/** A single letter between two that changed, such as a dot, belongs to them. */
function withMarks(html: string, letters = ""): string {
  if (letters === "") return html;
  const signs = letters.replace(/(?<=\+) (?=\+)/g, "+");
  let place = 0;
  return html
    .replace(/<[^<>]*>|&[^;&]*;|[^<&]/g, (part) =>
      part.startsWith("<") || signs[place++] !== "+" ? part : `<mark>${part}</mark>`,
    )
    .replaceAll("</mark><mark>", "");
}
