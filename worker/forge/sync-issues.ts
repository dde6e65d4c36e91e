import * as wire from "~/wire/intake/contract";
import { interruptible } from "../base/interruption";
import type { Journal } from "../base/journal";
import { messageOf, Refusal } from "../base/problems";
import { sendable } from "../base/sendable";
import type { Service } from "../service/service";
import type { Forge } from "./forge";
import { whileDue } from "./leased";

/** Hands in changed issues with the product's label, where it names one, and writes under those whose work is done. */
export function openIssueSync(tools: NoteTools) {
  const { service, productId } = tools;
  /** What the service has heard of, so that it is not handed in again; of one label. */
  let reported = { label: "", versions: new Map<string, string>() };
  return async (open: () => Promise<Forge>): Promise<void> => {
    const { label } = await service.read(`/api/products/${productId}/issues`, wire.issueLabelAnswer);
    if (label === "") return;
    if (reported.label !== label) reported = { label, versions: new Map() };
    const { versions } = reported;
    const forge = await open();
    const changed = await forge.listIssues(label, ({ issue, version }) => versions.get(issue.url) === version);
    // Earliest change first: if the service goes away, unreported issues are still newer than all reported ones.
    for (let begin = 0; begin < changed.length; begin += wire.issueLimits.issues) {
      const part = changed.slice(begin, begin + wire.issueLimits.issues);
      const issues = part.map(({ issue }) => issue).filter(({ url }) => url.length <= wire.issueLimits.url);
      const body = { product_id: productId, label, issues };
      await service.put("/api/issues/observed", body, wire.observedIssuesSchema);
      for (const { issue, version } of part) versions.set(issue.url, version);
    }
    await whileDue(mostInOneGo, (own) => writeNext(tools, forge, own));
  };
}

type NoteTools = { service: Service; journal: Journal; productId: string; workerName: string };

const mostInOneGo = 20;

/** That an issue's work is done, and that it is closed. Returns whether there was something to write. */
async function writeNext(tools: NoteTools, forge: Forge, own: AbortSignal): Promise<boolean> {
  const { service, productId, workerName, journal } = tools;
  const path = `/api/products/${productId}/issue-notes`;
  const request = { worker: workerName, project: forge.location.project };
  const { note } = await service.post(path, request, wire.nextIssueNoteSchema);
  if (note === null) return false;
  const report = await interruptible(own, () => write(tools, forge, note)).catch((error: unknown) => {
    if (own.aborted || error instanceof Refusal) throw error;
    return { state: "put_off" as const, words: sendable(messageOf(error), 900) };
  });
  await sendReport(tools, note, report);
  if (report.state === "written") journal.say(sentenceOf(note));
  else journal.sayOnce(`Nothing could be written to ${note.url}: ${report.words}`);
  return true;
}

/** The comment may be there: a worker that was ended between the deed and its report has written it. */
async function write(tools: NoteTools, forge: Forge, note: wire.IssueNote): Promise<wire.IssueNoteReport> {
  const { url, isClosed } = await forge.readIssue(note.number);
  if (url !== note.url) {
    return { state: "put_off", words: `Issue ${note.number} of ${forge.location.host} is another one` };
  }
  if (note.deed === "close") {
    if (!isClosed) await forge.closeIssue(note.number);
    return { state: "written" };
  }
  if (!(await forge.isMarked(note.number, note.mark))) {
    await sendReport(tools, note, { state: "working" });
    await forge.commentOnIssue(note.number, `${note.text}\n\n<!-- backloom ${note.mark} -->`);
  }
  return { state: "written" };
}

function sendReport({ service }: NoteTools, { id, lease }: wire.IssueNote, report: wire.IssueNoteReport) {
  return service.put(`/api/issue-notes/${id}`, { lease, ...report }, wire.reportedIssueNoteSchema);
}

function sentenceOf({ deed, url }: wire.IssueNote): string {
  return deed === "comment" ? `Commented on ${url}: its work is done` : `Closed ${url}: its work landed`;
}
