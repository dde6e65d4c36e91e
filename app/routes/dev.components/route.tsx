import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { renderMarkdown } from "~/features/markdown/markdown.server";
import { Section } from "~/ui/card";
import { CheckField, FormErrors, SelectField, TextAreaField, TextField } from "~/ui/field";
import { PageHeader } from "~/ui/page-header";
import { NowProvider } from "~/ui/relative-time";
import { ThemeChoices } from "~/ui/theme-menu";
import { ToastRegion } from "~/ui/toast-region";
import { WriteAccessProvider, WriteFields } from "~/ui/write-access";
import { ControlSamples } from "./control-samples";
import { DisplaySamples } from "./display-samples";

const text =
  "## Plan\n\n1. Read `app/contract`\n2. Write the **test** first\n\n- [x] done\n- [ ] open\n\n```ts\nconst a = 1;\n```";

/** Every component in every state, for developers. No build has this page. */
export async function loader() {
  return json({ now: Date.now(), sample: await renderMarkdown(text, "samples") });
}

export default function ComponentsPage() {
  const { now, sample } = useLoaderData<typeof loader>();
  return (
    <NowProvider now={now}>
      <WriteAccessProvider reason={null}>
        <main className="mx-auto grid max-w-5xl gap-6 p-6">
          <PageHeader
            title="Components"
            lead="What pages are made of, in every state."
            crumbs={[{ label: "Development", to: "/" }]}
            actions={
              <div className="w-40">
                <ThemeChoices />
              </div>
            }
          />
          <ControlSamples />
          <FieldSamples />
          <DisplaySamples sample={sample} />
        </main>
        <ToastRegion />
      </WriteAccessProvider>
    </NowProvider>
  );
}

const strategies = [
  { value: "SPRINT", label: "One branch for the sprint" },
  { value: "STORY", label: "One branch a story" },
];

function FieldSamples() {
  return (
    <>
      <Section title="Fields">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField name="name" label="Name" required placeholder="Paper planes" />
          <TextField
            name="code"
            label="Code"
            required={false}
            mono
            description="Letters, digits, dot, dash."
          />
          <TextField
            name="wrong"
            label="Repository"
            errors={["This is not an address of a repository."]}
            defaultValue="git@"
          />
          <SelectField name="strategy" label="Pull requests" options={strategies} />
          <TextAreaField
            name="text"
            label="Acceptance criteria"
            defaultValue="- the list is sorted"
          />
          <div className="grid content-start gap-3">
            <CheckField
              name="auto"
              label="Open pull requests"
              description="When a run ends."
              defaultChecked
            />
            <CheckField name="choice" type="radio" value="a" label="Take the recommended option" />
            <FormErrors errors={["An item with this code exists already. Choose another one."]} />
          </div>
        </div>
      </Section>
      <Section title="Fields of a demo account">
        <WriteAccessProvider reason="This is a demo account. You can see everything but change nothing.">
          <WriteFields className="grid gap-3 sm:max-w-sm">
            <TextField name="locked" label="Name" defaultValue="Paper planes" />
          </WriteFields>
        </WriteAccessProvider>
      </Section>
    </>
  );
}
