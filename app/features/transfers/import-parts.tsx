import { useNavigation } from "@remix-run/react";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { ChoiceField, gateFields, HowAgentsWork } from "~/features/products/product-choices";
import { ButtonLink } from "~/ui/button";
import { Section } from "~/ui/card";
import { HiddenFields, SelectField, TextAreaField, TextField } from "~/ui/field";
import { isolated } from "~/ui/isolated";
import { countText } from "~/ui/numbers";
import { Cell, Table } from "~/ui/table";
import {
  type FollowedImport,
  followedImportSchema,
  type ImportFormat,
  type ImportReport,
} from "~/wire/transfers/contract";
import { guessFormat } from "./guess-format";

const formats: readonly { value: ImportFormat | ""; label: string }[] = [
  { value: "", label: "Choose where it comes from" },
  { value: "linear", label: "Linear: CSV export" },
  { value: "github", label: "GitHub: output of gh issue list --json" },
  { value: "jira", label: "Jira: CSV export, all fields" },
  { value: "trello", label: "Trello: JSON export of a board" },
  { value: "backlog-md", label: "Backlog.md: zip of the folder, or its files" },
  { value: "spec-kit", label: "Spec Kit: zip of the folder specs" },
  { value: "openspec", label: "OpenSpec: zip of the folder openspec" },
  { value: "beads", label: "beads: issues.jsonl" },
  { value: "backloom", label: "Backloom: exported JSON" },
];

async function chooseGuess({ target }: FormEvent<HTMLInputElement | HTMLTextAreaElement>): Promise<void> {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return;
  const file = target instanceof HTMLInputElement ? target.files?.[0] : undefined;
  const guessed = guessFormat(file?.name ?? "", file ? await file.slice(0, 100_000).text() : target.value);
  const select = target.form?.querySelector<HTMLSelectElement>("[name=format]");
  if (select) select.value = guessed ?? "";
}

/** The file or text of a backlog, where it comes from, and then the product that it makes. */
export function ImportFields({ isNew }: { isNew: boolean }) {
  return (
    <>
      <label className="grid gap-1 text-sm font-medium">
        File
        <input
          type="file"
          name="file"
          multiple
          onChange={chooseGuess}
          className="max-w-full text-sm font-normal text-muted file:mr-3 file:h-8 file:rounded file:border file:border-line file:bg-raised file:px-3 file:text-ink"
        />
        <span className="text-xs font-normal text-muted">
          Up to 10 MB.{" "}
          <span className="hidden in-[form:has(option[value=github]:checked)]:inline">
            Export with{" "}
            <code className="wrap-anywhere">
              gh issue list --state all --limit 1000 --json
              number,title,body,state,stateReason,labels,assignees,milestone,createdAt,url,comments
            </code>
          </span>
        </span>
      </label>
      <div className="in-[form:has(option:is([value=spec-kit],[value=openspec]):checked)]:hidden">
        <TextAreaField
          label="Or paste it"
          name="pasted"
          id="field-pasted"
          required={false}
          rows={4}
          onChange={chooseGuess}
        />
      </div>
      <SelectField
        label="From"
        name="format"
        required
        options={formats}
        description="Guessed where the file or text says so. Another table is read as Linear's CSV, with the columns ID, Title and Status, and as you like Description, Priority, Project, Parent issue and Labels."
      />
      {isNew ? (
        <>
          <TextField label="Name" name="name" id="field-name" required maxLength={200} />
          <TextField
            label="Code"
            name="code"
            id="field-code"
            required={false}
            mono
            description="If empty, it is made from the name."
          />
          <HowAgentsWork preselected="a person reviews, failures ask, their stories go to triage">
            {gateFields.map((field) => (
              <ChoiceField key={field.name} {...field} />
            ))}
          </HowAgentsWork>
        </>
      ) : null}
    </>
  );
}

/** How far an import is, while the form with its id is on its way. */
export function ImportProgress({ id }: { id: string }) {
  const { formData } = useNavigation();
  const isRunning = id !== "" && formData?.get("import_id") === id;
  const [now, setNow] = useState<FollowedImport | null>(null);
  useEffect(() => {
    if (!isRunning) return;
    const ask = async () => {
      const answer = await fetch(`/import/${id}`).catch(() => null);
      if (!answer?.ok) return;
      const read = followedImportSchema.safeParse(await answer.json());
      if (read.success) setNow(read.data.import);
    };
    const timer = setInterval(() => void ask().catch(() => undefined), 500);
    return () => clearInterval(timer);
  }, [id, isRunning]);
  if (!isRunning || now === null) return null;
  return (
    <p className="grid gap-1 text-sm text-muted">
      <progress aria-label="Import" value={now.done} max={Math.max(now.of, 1)} className="w-full" />
      {now.done < now.of ? `${now.done} of ${countText(now.of, "row")} written` : "Finishing…"}
    </p>
  );
}

const reportId = "report";

/** What an import will do or did, what it left out and why, and the first rows. */
export function ImportResult({ report, children }: { report: ImportReport; children: ReactNode }) {
  const { preview, product, already_there, left_out, unknown_people, rows, statuses, done, in_review } = report;
  const counts = counted(report);
  // It is above the form, which may be longer than the window.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new report, also an equal one
  useEffect(() => {
    document.getElementById(reportId)?.scrollIntoView();
  }, [report]);
  return (
    <Section
      id={reportId}
      title={preview ? "Preview" : "Imported"}
      about={
        counts === ""
          ? `Nothing is new in this file: ${isolated(product.name)} has all of it.`
          : `${counts} ${preview ? "will go" : "went"} into ${isolated(product.name)}.`
      }
    >
      <div className="grid gap-3 text-sm">
        {already_there > 0 ? (
          <p>{countText(already_there, "story is", "stories are")} there from an earlier import and stays unchanged.</p>
        ) : null}
        {done + in_review > 0 ? (
          <p>{`Tasks that ${preview ? "come" : "came"} in as done: ${done}, as in review: ${in_review}.`}</p>
        ) : null}
        {unknown_people.length > 0 && !preview ? (
          <p>Unassigned, because no one here has this name or email: {unknown_people.join(", ")}.</p>
        ) : null}
        {statuses.length > 0 ? <ReadStatuses statuses={statuses} /> : null}
        {left_out.length > 0 ? (
          <div>
            <h3 className="font-medium">Left out</h3>
            <ul className="list-disc pl-5 text-muted">
              {left_out.map(({ count, reason }) => (
                <li key={reason} className="wrap-anywhere">
                  {count} × {reason}
                </li>
              ))}
            </ul>
          </div>
        ) : null}
        {preview ? <FirstRows rows={rows} stories={report.stories + already_there} /> : null}
        <div>
          {counts === "" ? null : children}
          {product.id && (!preview || counts === "") ? (
            <ButtonLink to={`/products/${product.id}/backlog`} tone="primary">
              Open the backlog
            </ButtonLink>
          ) : null}
        </div>
      </div>
    </Section>
  );
}

/** Empty when there is nothing new. */
function counted({ pbis, stories, tasks, ideas, labels, dependencies }: ImportReport): string {
  const all: [number, string, string][] = [
    [stories, "story", "stories"],
    [tasks, "task", "tasks"],
    [pbis, "new PBI", "new PBIs"],
    [labels, "new label", "new labels"],
    [ideas, "new idea", "new ideas"],
    [dependencies, "dependency", "dependencies"],
  ];
  return all
    .filter(([count]) => count > 0)
    .map((one) => countText(...one))
    .join(", ");
}

const stateLabels = {
  TO_DO: "to do",
  IN_PROGRESS: "in progress",
  REVIEW: "in review",
  DONE: "done",
  LEFT_OUT: "left out",
} as const;

/** Which status was read as what: unknown ones first, as those are guesses. */
function ReadStatuses({ statuses }: Pick<ImportReport, "statuses">) {
  return (
    <div>
      <h3 className="font-medium">Statuses</h3>
      <ul className="list-disc pl-5 text-muted">
        {statuses
          .toSorted((one, other) => Number(one.known) - Number(other.known))
          .map(({ word, became, known, count }) => (
            <li key={`${became} ${word}`} className="wrap-anywhere">
              {count} × “<bdi>{word}</bdi>”: {stateLabels[became]}
              {known ? "" : " (unknown here, so check these)"}
            </li>
          ))}
      </ul>
    </div>
  );
}

function FirstRows({ rows, stories }: { rows: ImportReport["rows"]; stories: number }) {
  return (
    <div>
      <h3 className="font-medium">
        {rows.length < stories ? `The first ${rows.length} of ${stories}` : "Stories in the file"}
      </h3>
      <ul className="divide-y divide-line">
        {rows.map(({ title, pbi, labels, tasks, done }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a file that never change their order
          <li key={index} className="grid gap-0.5 py-1.5">
            <span>{title}</span>
            <span className="text-xs text-muted">
              {[pbi, tasks > 0 ? countText(tasks, "task", "tasks") : "", done ? "done" : "", ...labels]
                .filter(Boolean)
                .join(" · ")}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Where the rows go: settled by the preview, and open again once the import was refused, as when the code was taken since. */
export function ImportTarget({ fields, isRefused }: { fields: Readonly<Record<string, string>>; isRefused: boolean }) {
  if (!isRefused || "product_id" in fields) return <HiddenFields fields={fields} />;
  const { name = "", code = "", ...others } = fields;
  return (
    <>
      <TextField label="Name" name="name" id="target-name" defaultValue={name} required />
      <TextField label="Code" name="code" id="target-code" defaultValue={code} mono required />
      <HiddenFields fields={others} />
    </>
  );
}

interface PeopleTableProps {
  names: readonly string[];
  members: readonly string[];
  /** Whom each name became in an import that was refused. */
  people: Readonly<Record<string, string>>;
}

/** Assignees of the file whom no member is named like: each becomes a member, or no one. */
export function PeopleTable({ names, members, people }: PeopleTableProps) {
  if (names.length === 0) return null;
  return (
    <Table caption="Assignees" head={["Assignee in the file", "Becomes"]} stacked>
      {names.map((name) => (
        <tr key={name}>
          <Cell label="Assignee in the file">{name}</Cell>
          <Cell label="Becomes">
            <input type="hidden" name="person" value={name} />
            <select
              name="member"
              aria-label={`Who ${name} is`}
              defaultValue={people[name]}
              className="h-8 max-w-full rounded border border-line bg-surface px-2 text-sm pointer-coarse:h-10"
            >
              <option value="">Unassigned</option>
              {members.map((member) => (
                <option key={member} value={member}>
                  {member}
                </option>
              ))}
            </select>
          </Cell>
        </tr>
      ))}
    </Table>
  );
}
