import { useFetcher } from "@remix-run/react";
import type { ActionAnswer } from "~/components/action-form";
import { SubmitButton } from "~/components/button";
import { Section } from "~/components/card";
import { CheckField, SelectField, TextAreaField, TextField } from "~/components/field";
import { ServerForm, useServerForm } from "~/components/server-form";
import { WriteAccessProvider, WriteFields } from "~/components/write-access";
import type { ProductDetail } from "~/contract/product";

const choices = [
  {
    name: "pr_strategy",
    label: "How runs use branches",
    description: "It holds for runs that start from now on.",
    options: [
      { value: "SPRINT", label: "One branch for the sprint, a job per task" },
      { value: "STORY", label: "One branch per story, stories side by side" },
      { value: "SPRINT_BATCH", label: "One job for the whole sprint" },
    ],
  },
  {
    name: "done_requires",
    label: "Before a story is done",
    description: "Asked of the work of agents; what people move by hand is their word.",
    options: [
      { value: "none", label: "Nothing more: tasks end by their own check" },
      { value: "worker", label: "A worker saw each criterion hold" },
      { value: "other_worker", label: "Another worker looked at each criterion" },
      { value: "person", label: "A person approved" },
    ],
  },
  {
    name: "dependency_release",
    label: "What is done frees what waits for it",
    description:
      "Workers look whether the main branch has the code. Tasks on one branch do not wait for it.",
    options: [
      { value: "done", label: "When it is done" },
      { value: "merged", label: "When its code is on the main branch" },
    ],
  },
] as const;

export function ProductFields({ product, isOwner }: { product: ProductDetail; isOwner: boolean }) {
  const fetcher = useFetcher<ActionAnswer>({ key: `product-${product.id}` });
  const { name, code, description, repo_url, definition_of_done } = product;
  const { pr_strategy, done_requires, dependency_release } = product;
  const texts = { name, code, description, repo_url, definition_of_done };
  const form = useServerForm({
    lastResult: fetcher.data,
    defaultValue: { ...texts, pr_strategy, done_requires, dependency_release },
  });
  return (
    <WriteAccessProvider reason={isOwner ? null : "Only the owner can change these."}>
      <Section title="Product">
        <ServerForm form={form} fetcher={fetcher}>
          <WriteFields quiet className="grid gap-4">
            <input type="hidden" name="intent" value="update" />
            <div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
              <TextField label="Name" required {...form.field("name")} />
              <TextField label="Code" required mono {...form.field("code")} />
            </div>
            <TextAreaField label="Description" required={false} {...form.field("description")} />
            <TextField
              label="Repository"
              required={false}
              inputMode="url"
              {...form.field("repo_url")}
            />
            <TextAreaField
              label="Definition of done"
              required={false}
              {...form.field("definition_of_done")}
            />
            {choices.map(({ name, ...field }) => (
              <SelectField key={name} {...field} {...form.field(name)} />
            ))}
            <CheckField
              name="auto_pr"
              label="Open pull requests by itself"
              description="Workers open one with their own command when the work is pushed."
              defaultChecked={product.auto_pr}
            />
            <div>
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
