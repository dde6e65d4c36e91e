import { issueLabelAnswer, issueLimits, observedIssuesSchema } from "~/nouns/issues/contract";
import type { Forge } from "./forge";
import { type NoteTools, writeNotes } from "./write-notes";

/**
 * Looks at the issues with the label of the product, where it names one, hands in those that changed, and writes under those whose
 * work is done.
 */
export function issueLook(tools: NoteTools) {
  const { service, productId } = tools;
  /** What the service has heard of, so that it is not handed in again; of one label. */
  let heard = { label: "", versions: new Map<string, string>() };
  return async (open: () => Promise<Forge>): Promise<void> => {
    const { label } = await service.read(`/api/products/${productId}/issues`, issueLabelAnswer);
    if (label === "") return;
    if (heard.label !== label) heard = { label, versions: new Map() };
    const { versions } = heard;
    const forge = await open();
    const changed = await forge.listIssues(
      label,
      ({ issue, version }) => versions.get(issue.url) === version,
    );
    // Earliest change first: if the service goes away, unreported issues are still newer than all reported ones.
    for (let begin = 0; begin < changed.length; begin += issueLimits.issues) {
      const part = changed.slice(begin, begin + issueLimits.issues);
      const issues = part
        .map(({ issue }) => issue)
        .filter(({ url }) => url.length <= issueLimits.url);
      const body = { product_id: productId, label, issues };
      await service.put("/api/issues/observed", body, observedIssuesSchema);
      for (const { issue, version } of part) versions.set(issue.url, version);
    }
    await writeNotes(tools, forge);
  };
}
