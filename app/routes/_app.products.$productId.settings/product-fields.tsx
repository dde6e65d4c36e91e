import { useFetcher } from "@remix-run/react";
import { efforts } from "~/features/in-place/pickers";
import {
  agentItemChoices,
  branchChoices,
  failureChoices,
  pullRequestOptions,
} from "~/features/products/product-choices";
import { requirementChoicesWith } from "~/features/proof/proof-labels";
import type { ActionResult } from "~/ui/action-result";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { CheckField, SelectField, TextAreaField, TextField } from "~/ui/field";
import { ServerForm, type ServerFormHandle, useServerForm } from "~/ui/forms/server-form";
import { WriteAccessProvider, WriteFields } from "~/ui/write-access";
import type { ProductDetail } from "~/wire/products/contract";
import { marksText, pathMarks } from "~/wire/reviews/marks";

export const sections = [
  ["general", "General"],
  ["agents", "Agents"],
  ["code-host", "Git host"],
  ["automation", "Automation"],
  ["integrations", "Integrations"],
  ["danger", "Danger"],
] as const;
type SectionName = (typeof sections)[number][0];

const choices = [
  {
    section: "agents",
    name: "pr_strategy",
    label: "Branches",
    description: "Applies to runs that start from now on.",
    options: branchChoices,
  },
  {
    section: "agents",
    name: "on_failure",
    label: "When a task fails",
    description: "If asked, you choose: try again, skip it and what it blocks, or stop the run.",
    options: failureChoices,
  },
  {
    section: "code-host",
    name: "pull_requests",
    label: "Pull requests",
    description: "Workers started with --pr open them when they push, and keep them up to date.",
    options: pullRequestOptions,
  },
  {
    section: "code-host",
    name: "landing",
    label: "Merging",
    description:
      "In the queue, workers started with --pr or --land merge finished branches one at a time, each tested with the main branch as it is then.",
    options: [
      { value: "manual", label: "People merge" },
      { value: "queue", label: "Merge queue" },
    ],
  },
  {
    section: "agents",
    name: "plan_first",
    label: "Tasks without a plan",
    description: "Whether agents write missing plans before they begin.",
    options: [
      { value: "ask", label: "Ask when a run starts" },
      { value: "auto", label: "Agents always plan first" },
      { value: "never", label: "Agents never plan" },
    ],
  },
  {
    section: "agents",
    name: "plan_review",
    label: "Plans of agents",
    description: "A plan that waits is in the inbox. No file is changed before it is approved.",
    options: [
      { value: "none", label: "Agents begin at once" },
      { value: "person", label: "A person approves each" },
    ],
  },
  {
    section: "automation",
    name: "agent_items",
    label: "Stories from agents",
    description: "In triage they wait until a person accepts them.",
    options: agentItemChoices,
  },
  {
    section: "agents",
    name: "done_requires",
    label: "Agent work waits for",
    description: "People can move stories by hand.",
    options: [],
  },
  {
    section: "code-host",
    name: "dependency_release",
    label: "A blocker is resolved when",
    description: "Workers check whether the code is on the main branch. Tasks on the same branch do not wait for it.",
    options: [
      { value: "done", label: "It is done" },
      { value: "merged", label: "Its code is on the main branch" },
    ],
  },
] as const;

type Name =
  | "name"
  | "code"
  | "description"
  | "repo_url"
  | "definition_of_done"
  | "branch_prefix"
  | "forge_issue_label"
  | "may_reach"
  | "references"
  | "review_marks"
  | "agent"
  | "model"
  | "effort"
  | "fallback"
  | "fallback_after"
  | (typeof choices)[number]["name"];

interface ProductFieldsProps {
  product: ProductDetail;
  section: SectionName;
  title: string;
  isOwner: boolean;
  /** Action result of the page without JavaScript. */
  answer: unknown;
}

export function ProductFields({ product, section, title, isOwner, answer }: ProductFieldsProps) {
  const fetcher = useFetcher<ActionResult>({ key: `product-${product.id}-${section}` });
  const form = useServerForm<Name>({
    lastResult: fetcher.data ?? (isOwnAnswer(answer) ? answer : undefined),
    defaultValue: {
      ...product,
      may_reach: product.may_reach.join("\n"),
      references: product.references.map(({ name, url, ref }) => [name, url, ref ?? ""].join(" ").trim()).join("\n"),
      review_marks: marksText(product.review_marks),
      fallback: product.fallback.join(", "),
      fallback_after: String(product.fallback_after),
    },
  });
  return (
    <WriteAccessProvider reason={isOwner ? null : "Only the owner can change these."}>
      <Section title={title}>
        <ServerForm form={form} fetcher={fetcher}>
          <WriteFields quiet className="grid items-end gap-x-6 gap-y-4 lg:grid-cols-2">
            <input type="hidden" name="intent" value="update" />
            <input type="hidden" name="expected_version" value={product.version} />
            {section === "general" ? <GeneralFields field={form.field} /> : null}
            {choices
              .filter((choice) => choice.section === section)
              .map(({ name, section: _, options, ...texts }) => (
                <SelectField
                  key={name}
                  {...texts}
                  {...form.field(name)}
                  options={name === "done_requires" ? requirementChoicesWith(product[name]) : options}
                />
              ))}
            {section === "agents" ? <AgentFields product={product} field={form.field} /> : null}
            {section === "code-host" ? (
              <TextField
                label="Issues from the Git host"
                description="Open issues with this label come into Triage, seen by workers started with --pr. Workers comment on an issue when its work is done, and close it when that is merged. Leave empty to take none."
                required={false}
                {...form.field("forge_issue_label")}
              />
            ) : null}
            <div className="lg:col-span-2">
              <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Saving…">
                Save
              </SubmitButton>
            </div>
          </WriteFields>
        </ServerForm>
      </Section>
    </WriteAccessProvider>
  );
}

type Field = ServerFormHandle<Name>["field"];

function GeneralFields({ field }: { field: Field }) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
        <TextField label="Name" required {...field("name")} />
        <TextField label="Code" required mono {...field("code")} />
      </div>
      <TextField label="Repository" required={false} inputMode="url" {...field("repo_url")} />
      <TextAreaField label="Description" required={false} {...field("description")} />
      <TextAreaField label="Definition of done" required={false} {...field("definition_of_done")} />
    </>
  );
}

function AgentFields({ product, field }: { product: ProductDetail; field: Field }) {
  return (
    <>
      <WhoFields field={field} />
      <TextField
        label="Branch prefix"
        description="Names of branches that agents push begin with it, such as agents or feature/bot. Runs that have begun keep theirs."
        required
        mono
        {...field("branch_prefix")}
      />
      <CheckField
        name="requires_sandbox"
        label="Require a sandbox"
        description="Only workers that run agents and commands in a sandbox get jobs."
        defaultChecked={product.requires_sandbox}
      />
      <TextAreaField
        label="Allowed hosts"
        description="Hosts that jobs can reach from the sandbox, one per line, such as pypi.org or pypi.org:443."
        required={false}
        {...field("may_reach")}
      />
      <TextAreaField
        label="Repositories to read"
        description="At most 8, one per line: a name, the address and, if it is not the default branch, a branch, tag or commit, such as api https://git.example/acme/api.git main. Agents read them and cannot change them. Workers follow those that --also-repo names."
        required={false}
        {...field("references")}
      />
      <TextAreaField
        label="Paths that reviews mark"
        description={`One per line, such as migration: db/**. They replace the default paths of that mark (${pathMarks.join(", ")}); * matches within a folder, ** across folders.`}
        required={false}
        {...field("review_marks")}
      />
      <CheckField
        name="change_index"
        label="Forecast from earlier changes"
        description="Workers send titles and file paths of the main branch's newest changes, and nothing else of the repository. Switching this off deletes them."
        defaultChecked={product.change_index}
      />
      <CheckField
        name="avoid_overlap"
        label="Avoid overlapping work"
        description="Among tasks of equal priority, agents take what probably touches the fewest files of running work. Nothing is passed over more than eight times."
        defaultChecked={product.avoid_overlap}
      />
    </>
  );
}

/** Whether the action result belongs to this form: next to it, only the one of budgets has such an answer. */
function isOwnAnswer(answer: unknown): boolean {
  if (typeof answer !== "object" || answer === null || !("initialValue" in answer)) return false;
  const typed = answer.initialValue;
  return typeof typed === "object" && typed !== null && !("time_zone" in typed);
}

/** Who does its tasks; stories and tasks may name others. */
function WhoFields({ field }: { field: Field }) {
  return (
    <>
      <TextField
        label="Agent"
        description="Such as claude or codex. Only workers that have it get the jobs."
        required={false}
        {...field("agent")}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Model" required={false} {...field("model")} />
        <SelectField
          label="Effort"
          {...field("effort")}
          options={[{ value: "", label: "Default of the agent" }, ...efforts]}
        />
      </div>
      <TextField
        label="Next agents"
        description="In order, separated by commas. The next one continues when an agent fails or is at its limit for too long."
        required={false}
        {...field("fallback")}
      />
      <TextField
        label="Longest wait for a limit (minutes)"
        description="The next agent takes over if the limit of an agent ends later than this."
        inputMode="numeric"
        required
        {...field("fallback_after")}
      />
    </>
  );
}
