import { json, type MetaFunction, redirect } from "@remix-run/node";
import { Link } from "@remix-run/react";
import {
  branchChoices,
  ChoiceField,
  gateFields,
  HowAgentsWork,
  pullRequestOptions,
} from "~/features/products/product-choices";
import { runForm, textOf } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { setActiveProduct } from "~/nouns/accounts/operations.server";
import { createProduct } from "~/nouns/products/operations.server";
import { useActionResult } from "~/ui/action-result";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { SelectField, TextAreaField, TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { PageHeader } from "~/ui/page-header";
import { WriteFields } from "~/ui/write-access";
import { createProductInput } from "~/wire/products/contract";
import { codeFromName } from "~/wire/text";

export const loader = personLoader(async () => json({}));

export const action = writeAction(async ({ actor, form }) => {
  if (textOf(form, "code") === "") form.set("code", codeFromName(textOf(form, "name")));
  return runForm(form, createProductInput, async (input) => {
    const product = await createProduct(actor, input);
    await setActiveProduct(actor, { product_id: product.id });
    return redirect(`/products/${product.id}/backlog`, 303);
  });
});

export const meta: MetaFunction = () => [{ title: "New product · Backloom" }];

const choices = [
  ...gateFields,
  { name: "pr_strategy", legend: "Branches", choices: branchChoices, chosen: "STORY" },
] as const;

export default function NewProductPage() {
  const form = useServerForm<
    | "name"
    | "code"
    | "description"
    | "repo_url"
    | "definition_of_done"
    | "pull_requests"
    | (typeof choices)[number]["name"]
  >({
    lastResult: useActionResult(),
    defaultValue: { pull_requests: "none", ...Object.fromEntries(choices.map(({ name, chosen }) => [name, chosen])) },
  });
  const isRefused = (["code", "description", "definition_of_done"] as const).some((name) => form.field(name).errors);
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title="New product"
        crumbs={[{ label: "Dashboard", to: "/dashboard" }]}
        lead={
          <>
            Just looking around?{" "}
            <Link to="/start" className="text-accent underline">
              Use the sample product
            </Link>
            . Coming from another tool?{" "}
            <Link to="/import" className="text-accent underline">
              Import your backlog
            </Link>
            .
          </>
        }
      />
      <Section title="Details">
        <ServerForm form={form} creates draft="new-product">
          <WriteFields className="grid gap-4">
            <TextField label="Name" required autoFocus {...form.field("name")} />
            <TextField
              label="Repository"
              required={false}
              inputMode="url"
              description="What workers clone: a URL, or a path on their machine."
              placeholder="https://git.example.org/planes.git"
              {...form.field("repo_url")}
            />
            <HowAgentsWork
              preselected="one branch per story, a person reviews, failures ask"
              isChanged={choices.some(({ name, chosen }) => form.field(name).defaultValue !== chosen)}
              isOpen={isRefused}
            >
              <TextField
                label="Code"
                required={false}
                mono
                description="Short name for tables and branches. If empty, it is made from the name."
                {...form.field("code")}
              />
              <SelectField
                label="Pull requests"
                description="Workers started with --pr open them."
                options={pullRequestOptions}
                {...form.field("pull_requests")}
              />
              <TextAreaField label="Description" required={false} {...form.field("description")} />
              <TextAreaField
                label="Definition of done"
                required={false}
                description="What every task must meet. Agents read it as part of their context."
                {...form.field("definition_of_done")}
              />
              {choices.map((choice) => (
                <ChoiceField key={choice.name} {...choice} chosen={form.field(choice.name).defaultValue} />
              ))}
            </HowAgentsWork>
            <div>
              <SubmitButton pendingLabel="Creating…">Create product</SubmitButton>
            </div>
          </WriteFields>
        </ServerForm>
      </Section>
    </div>
  );
}
