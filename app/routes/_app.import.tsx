import { randomUUID } from "node:crypto";
import { json, type MetaFunction } from "@remix-run/node";
import { Form, useLoaderData } from "@remix-run/react";
import { gateFields } from "~/features/products/product-choices";
import {
  ImportFields,
  ImportProgress,
  ImportResult,
  ImportTarget,
  PeopleTable,
} from "~/features/transfers/import-parts";
import { runIntent, textOf } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { readUploads } from "~/http/request-body.server";
import { validate } from "~/http/validation.server";
import { readStamped, stamp } from "~/nouns/identities/seal.server";
import { getProduct, listProductMembers } from "~/nouns/products/operations.server";
import { importBacklog } from "~/nouns/transfers/import-backlog.server";
import { readImport } from "~/nouns/transfers/read-import.server";
import { useActionResult } from "~/ui/action-result";
import { Button, SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { FormErrors, HiddenFields } from "~/ui/field";
import { IdempotencyKey } from "~/ui/forms/idempotency-key";
import { PageHeader } from "~/ui/page-header";
import { WriteFields } from "~/ui/write-access";
import { ContractError } from "~/wire/errors";
import { codeFromName, codeSchema, idSchema, requiredText } from "~/wire/text";
import { type ImportReport, importFormats, importReportSchema, importTargetSchema } from "~/wire/transfers/contract";

/** `/import` and `/import?product=<id>`: previews another tool's backlog, then imports it. */
export const loader = personLoader(async ({ actor, principal, request }) => {
  const id = new URL(request.url).searchParams.get("product");
  if (id === null) return json({ product: null, members: [principal.username] });
  const product_id = validate(idSchema, id, "query");
  // More than one call: only an import into a product reads these, which other pages read alone.
  const [{ name }, people] = await Promise.all([
    getProduct(actor, { product_id }),
    listProductMembers(actor, { product_id }),
  ]);
  const members = people.filter(({ role }) => role !== "VIEWER").map(({ username }) => username);
  return json({ product: { id, name }, members });
});

interface Previewed {
  report: ImportReport;
  /** The parsed file, packed, and the report, both stamped: the second step sends them back. */
  packed?: string;
  /** By which the page follows the import. */
  import_id?: string;
  shown?: string;
  fields: Record<string, string>;
  /** Whom the person chose for each assignee of the file, where the import was refused. */
  people?: Record<string, string>;
}

export const action = writeAction(async ({ actor, principal, form, context }) => {
  const owner = { id: principal.user_id, secrets: context.services.env.sessionSecrets };
  return runIntent(form, {
    preview: async () => {
      const { target, fields } = readTarget(form);
      const format = importFormats.find((known) => known === textOf(form, "format"));
      if (!format) throw new ContractError(422, "Choose where the file comes from.");
      const files = await readUploads(form, "file");
      const given = files.length > 0 ? files : await readUploads(form, "pasted");
      const prepared = await readImport({ format, files: given, owner }, owner.id);
      const report = await importBacklog(actor, target, prepared, true);
      const shown = stamp("import report", owner.id, JSON.stringify(report), owner.secrets);
      return json<Previewed>({ report, packed: prepared.packed, import_id: randomUUID(), shown, fields });
    },
    import: async () => {
      const packed = textOf(form, "packed");
      const import_id = idSchema.safeParse(textOf(form, "import_id")).data;
      const members = form.getAll("member").map(String);
      const people = form.getAll("person").map((person, at) => [String(person), members[at] ?? ""]);
      const named = new Map(people.map(([person = "", member = ""]) => [person, member]));
      const shown = textOf(form, "report");
      try {
        const { target, fields } = readTarget(form);
        const prepared = await readImport({ packed, people: named, owner }, owner.id);
        const report = await importBacklog(actor, target, prepared, false, import_id);
        return json<Previewed>({ report, fields });
      } catch (error) {
        const text = readStamped("import report", owner.id, shown, owner.secrets);
        if (!(error instanceof ContractError) || text === null) throw error;
        const { status, message, issues, retryAfter } = error;
        const fields = Object.fromEntries(
          targetFields.map((name) => [name, textOf(form, name)]).filter(([, value]) => value),
        );
        const kept: Previewed = {
          report: importReportSchema.parse(JSON.parse(text)),
          packed,
          ...(import_id && { import_id }),
          shown,
          fields,
          people: Object.fromEntries(named),
        };
        throw new ContractError(status, message, {
          ...(issues && { issues }),
          ...(retryAfter !== undefined && { retryAfter }),
          detail: { ...kept },
        });
      }
    },
  });
});

const targetFields = ["product_id", "name", "code", ...gateFields.map(({ name }) => name)];

/** Where the rows go, and the fields that say so again in the second step. */
function readTarget(form: FormData) {
  const product_id = textOf(form, "product_id") || null;
  const name = product_id === null ? validate(requiredText(200), textOf(form, "name"), "body") : null;
  const code = name === null ? null : validate(codeSchema, textOf(form, "code") || codeFromName(name), "body");
  const gates = validate(
    importTargetSchema.pick({ done_requires: true, agent_items: true, on_failure: true }).required(),
    Object.fromEntries(gateFields.map(({ name, chosen }) => [name, textOf(form, name) || chosen])),
    "body",
  );
  const fields: Record<string, string> = product_id ? { product_id } : { name: name ?? "", code: code ?? "", ...gates };
  return { target: { product_id, name, code, ...gates }, fields };
}

export const meta: MetaFunction = () => [{ title: "Import · Backloom" }];

export default function ImportPage() {
  const { product, members } = useLoaderData<typeof loader>();
  const answer = useActionResult<Partial<Previewed> & { error?: unknown }>();
  const { report, packed, import_id = "", shown = "", fields = {}, people = {} } = answer ?? {};
  const errors = typeof answer?.error === "string" ? [answer.error] : [];
  const isDone = report !== undefined && !report.preview;
  return (
    <div className="mx-auto grid max-w-2xl gap-5">
      <PageHeader
        title={product ? `Import into ${product.name}` : "Import a backlog"}
        crumbs={[
          product
            ? { label: product.name, to: `/products/${product.id}/settings` }
            : { label: "New product", to: "/products/new" },
        ]}
        lead="From Linear, GitHub, Jira, Trello, Backlog.md, Spec Kit, OpenSpec, beads or another Backloom. You see a preview before anything is imported. Importing the same file again creates no duplicates."
      />
      {report ? (
        <ImportResult report={report}>
          {packed ? (
            <Form method="post" encType="multipart/form-data" className="grid gap-3">
              <PeopleTable names={report.unknown_people} members={members} people={people} />
              <ImportTarget fields={fields} isRefused={errors.length > 0} />
              <HiddenFields fields={{ intent: "import", packed, import_id, report: shown }} />
              <IdempotencyKey />
              <FormErrors errors={errors} />
              <SubmitButton pendingLabel="Importing…" className="justify-self-start">
                Import
              </SubmitButton>
              <ImportProgress id={import_id} />
            </Form>
          ) : null}
        </ImportResult>
      ) : null}
      {isDone ? null : (
        <Section title={report ? "Another file" : "Source"}>
          <Form method="post" encType="multipart/form-data" autoComplete="off">
            <input type="hidden" name="intent" value="preview" />
            {product ? <input type="hidden" name="product_id" value={product.id} /> : null}
            <WriteFields className="grid gap-4">
              <ImportFields isNew={product === null} />
              <FormErrors errors={report ? [] : errors} />
              <div>
                {report ? (
                  <Button type="submit">Preview</Button>
                ) : (
                  <SubmitButton pendingLabel="Reading…">Preview</SubmitButton>
                )}
              </div>
            </WriteFields>
          </Form>
        </Section>
      )}
    </div>
  );
}
