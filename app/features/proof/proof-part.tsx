import { ActionForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { Section } from "~/ui/card";
import { HiddenFields, TextField } from "~/ui/field";
import { WriteFields } from "~/ui/write-access";
import type { ProvenCriterion, StoryProof } from "~/wire/proof/contract";
import { BeforeAfter, picturesOf } from "./before-after";
import { CriterionHead, CriterionText, EvidenceList } from "./criterion";
import { requirements } from "./proof-labels";

/** Proof of a story: one row per criterion with its evidence, and forms for a person's verdict. */
export function ProofPart({ proof, title = "Proof" }: { proof: StoryProof; title?: string }) {
  const { criteria, former, story_id: storyId } = proof;
  const met = criteria.filter(({ state }) => state === "proven" || state === "waived").length;
  if (criteria.length === 0 && former.length === 0) {
    return (
      <Section id="proof" title={title}>
        <p className="text-sm text-muted">
          No criteria yet. Write acceptance criteria as a list in the story, or a definition of done in the product
          settings. Each line becomes a criterion.
        </p>
      </Section>
    );
  }
  return (
    <Section id="proof" flush title={`${title} ${met}/${criteria.length}`} about={requirements[proof.done_requires]}>
      <ul className="divide-y divide-line">
        {criteria.map((criterion) => (
          <CriterionRow key={criterion.id} storyId={storyId} criterion={criterion} />
        ))}
      </ul>
      {former.length > 0 ? (
        <details className="border-t border-line px-4 py-2.5">
          <summary className="cursor-pointer text-sm text-muted">{`Criteria edited since (${former.length})`}</summary>
          <ul className="mt-2 grid gap-3">
            {former.map(({ id, text, waiver, evidence }) => (
              <li key={id} className="grid gap-1 text-sm">
                <span className="line-through">
                  <CriterionText text={text} />
                </span>
                {waiver ? (
                  <span className="text-muted">
                    Waived by {waiver.waived_by}: <bdi>{waiver.reason}</bdi>
                  </span>
                ) : null}
                <EvidenceList evidence={evidence} />
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </Section>
  );
}

function CriterionRow({ storyId, criterion }: { storyId: string; criterion: ProvenCriterion }) {
  const { state, evidence } = criterion;
  const pictures = picturesOf(evidence);
  return (
    <li className="grid gap-2 px-4 py-3" data-criterion={criterion.id}>
      <CriterionHead criterion={criterion} />
      {pictures.length > 0 ? (
        <div className="pl-6">
          <BeforeAfter pictures={pictures} />
        </div>
      ) : null}
      {evidence.length > 0 ? (
        <details className="pl-6" open={state === "failed"}>
          <summary className="cursor-pointer text-xs text-muted">{`Evidence (${evidence.length})`}</summary>
          <EvidenceList evidence={evidence} />
        </details>
      ) : null}
      {state === "waived" ? null : <JudgeForms storyId={storyId} criterion={criterion} />}
    </li>
  );
}

/** Actions for people only: confirm a criterion, report that it fails, or waive it. */
function JudgeForms({ storyId, criterion }: { storyId: string; criterion: ProvenCriterion }) {
  const { id, text, state, grade } = criterion;
  const isSeen = state === "proven" && grade === "person";
  return (
    <WriteFields quiet className="flex flex-wrap items-start gap-2 pl-6">
      {isSeen ? null : (
        <ActionForm action={`/stories/${storyId}`} aria-label={`Judge: ${text}`}>
          <Judged intent="saw" criterion={id} />
          <span className="flex gap-2">
            <Button type="submit" size="sm" name="verdict" value="pass">
              Confirm
            </Button>
            <Button type="submit" size="sm" name="verdict" value="fail">
              Reject
            </Button>
          </span>
        </ActionForm>
      )}
      <details>
        <summary className="cursor-pointer py-1 text-xs text-muted">Waive…</summary>
        <ActionForm action={`/stories/${storyId}`} className="mt-2 grid gap-2">
          <Judged intent="waive" criterion={id} />
          <TextField
            id={`waive-${storyId}-${id}`}
            name="reason"
            label="Why is proof not needed?"
            required
            maxLength={2000}
          />
          <span>
            <Button type="submit" size="sm">
              Waive
            </Button>
          </span>
        </ActionForm>
      </details>
    </WriteFields>
  );
}

function Judged({ intent, criterion }: { intent: string; criterion: string }) {
  return <HiddenFields fields={{ intent, criterion }} />;
}
