import { Section } from "~/components/card";
import { CheckField, FormErrors, SelectField, TextAreaField, TextField } from "~/components/field";
import { WriteAccessProvider, WriteFields } from "~/components/write-access";

const strategies = [
  { value: "SPRINT", label: "One branch for the sprint" },
  { value: "STORY", label: "One branch a story" },
];

export function FieldSamples() {
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
        <WriteAccessProvider reason="This is a demo account: it sees everything and changes nothing.">
          <WriteFields className="grid gap-3 sm:max-w-sm">
            <TextField name="locked" label="Name" defaultValue="Paper planes" />
          </WriteFields>
        </WriteAccessProvider>
      </Section>
    </>
  );
}
