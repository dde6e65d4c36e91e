import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import { fileName, requireFileRoom } from "~/nouns/files/take-file.server";
import { ContractError } from "~/wire/errors";
import { type ExportDocument, type ExportedFile, exportDocumentSchema } from "./export-document";

export interface ImportedDocument {
  id: string;
  code: string;
  pbiCodes: string[];
  storyCodes: string[];
  taskCodes: string[];
  ideaCodes: string[];
  /** User names in the document that do not exist here. */
  unknownUsers: string[];
}

type LeftOutDependency = z.output<typeof leftOutSchema>;

const productAnswer = z.object({
  id: z.uuid(),
  code: z.string(),
  pbi_codes: z.array(z.string()),
  unknown_users: z.array(z.string()),
});
const storiesAnswer = z.object({ story_codes: z.array(z.string()), task_codes: z.array(z.string()) });
const leftOutSchema = z.object({ kind: z.string(), blocked: z.string(), blocker: z.string(), reason: z.string() });
const ideasAnswer = z.object({ idea_codes: z.array(z.string()) });

/** Stories per call: large enough to be fast, small enough to stay far below every statement timeout. */
const portionSize = 100;

/**
 * On behalf of the service: in a few transactions, without limits per minute, with its files where they can be read.
 * All or nothing: if a step fails, the product goes. Plans and lessons of a trusted file count as a person's.
 */
export async function importDocument(
  database: Database,
  ownerId: string,
  given: ExportDocument,
  { readContent, isTrusted = false }: { readContent?: ReadContent | undefined; isTrusted?: boolean } = {},
): Promise<ImportedDocument> {
  const { document, givenIds } = await withFreeIds(database, readContent ? given : { ...given, files: [] });
  const { files } = document;
  const product = await callService(
    database,
    "import_product",
    { p_owner_id: ownerId, p_document: withoutStories(document) },
    productAnswer,
  );
  try {
    if (readContent) {
      const readGiven: ReadContent = (file) => readContent({ ...file, id: givenIds.get(file.id) ?? file.id });
      await importFiles(database, product.id, files, readGiven);
    }
    const stories = await importStories(database, ownerId, product, document, isTrusted);
    await placeFiles(database, product.id, files);
    if (document.lessons.length > 0) {
      const lessons = { p_product_id: product.id, p_lessons: document.lessons, p_trust: isTrusted };
      await callService(database, "import_lessons", lessons, z.unknown());
    }
    const leftOut = await importDependencies(database, product.id, stories, document);
    if (leftOut.length > 0) throw dependencyRefusal(leftOut);
    const { idea_codes } = await callService(
      database,
      "import_ideas",
      {
        p_product_id: product.id,
        p_owner_id: ownerId,
        p_ideas: document.ideas,
        p_archived_at: document.product.archived_at,
      },
      ideasAnswer,
    );
    return {
      id: product.id,
      code: product.code,
      pbiCodes: product.pbi_codes,
      ...stories,
      ideaCodes: idea_codes,
      unknownUsers: product.unknown_users,
    };
  } catch (error) {
    await callService(database, "discard_import", { p_product_id: product.id }, z.unknown());
    throw error;
  }
}

const mostIssues = 20;

function dependencyRefusal(leftOut: readonly LeftOutDependency[]): ContractError {
  const count = leftOut.length === 1 ? "1 dependency" : `${leftOut.length} dependencies`;
  return new ContractError(
    422,
    `Nothing was imported: ${count} cannot be kept. Correct blocked_by in the file and import it again.`,
    {
      issues: leftOut
        .slice(0, mostIssues)
        .map(({ blocked, blocker, reason }) => ({
          path: `blocked_by of ${blocked}`,
          message: `${blocker}: ${reason}`,
        })),
    },
  );
}

function withoutStories(document: ExportDocument) {
  const { ideas: _ideas, lessons: _lessons, pbis, ...rest } = document;
  return { ...rest, pbis: pbis.map(({ stories: _stories, ...pbi }) => pbi) };
}

async function importStories(
  database: Database,
  ownerId: string,
  product: z.output<typeof productAnswer>,
  document: ExportDocument,
  p_trust: boolean,
): Promise<{ storyCodes: string[]; taskCodes: string[] }> {
  const stories = document.pbis.flatMap((pbi, index) =>
    pbi.stories.map((story) => ({ ...story, pbi: product.pbi_codes[index] })),
  );
  const storyCodes: string[] = [];
  const taskCodes: string[] = [];
  for (let at = 0; at < stories.length; at += portionSize) {
    const answer = await callService(
      database,
      "import_stories",
      { p_product_id: product.id, p_owner_id: ownerId, p_stories: stories.slice(at, at + portionSize), p_trust },
      storiesAnswer,
    );
    storyCodes.push(...answer.story_codes);
    taskCodes.push(...answer.task_codes);
  }
  return { storyCodes, taskCodes };
}

function importDependencies(
  database: Database,
  productId: string,
  { storyCodes, taskCodes }: { storyCodes: string[]; taskCodes: string[] },
  { pbis }: ExportDocument,
): Promise<LeftOutDependency[]> {
  const stories = pbis.flatMap((pbi) => pbi.stories);
  const tasks = stories.flatMap((story) => story.tasks);
  const p_dependencies = [...edgesOf("story", stories, storyCodes), ...edgesOf("task", tasks, taskCodes)];
  if (p_dependencies.length === 0) return Promise.resolve([]);
  return callService(
    database,
    "import_dependencies",
    { p_product_id: productId, p_dependencies },
    z.array(leftOutSchema),
  );
}

function edgesOf(kind: string, things: readonly { blocked_by: string[] }[], codes: string[]) {
  return things.flatMap(({ blocked_by }, index) =>
    blocked_by.map((blocker) => ({ kind, blocked: codes[index], blocker })),
  );
}

type ReadContent = (file: ExportedFile) => Promise<Uint8Array>;

/** What of an id is in a document: `"id"`, evidence, and addresses in texts. */
const anyId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** A file keeps its id where no one has that; else it gets another, in the texts that show it too. */
async function withFreeIds(
  database: Database,
  document: ExportDocument,
): Promise<{ document: ExportDocument; givenIds: ReadonlyMap<string, string> }> {
  const p_ids = document.files.map(({ id }) => id);
  if (p_ids.length === 0) return { document, givenIds: new Map() };
  const taken = await callService(database, "taken_file_ids", { p_ids }, z.array(z.uuid()));
  const others = new Map(taken.map((id) => [id, `${randomUUID()}`]));
  const givenIds = new Map(p_ids.map((id) => [others.get(id) ?? id, id]));
  if (others.size === 0) return { document, givenIds };
  const text = JSON.stringify(document).replace(anyId, (id) => others.get(id) ?? id);
  return { document: exportDocumentSchema.parse(JSON.parse(text)), givenIds };
}

async function importFiles(
  database: Database,
  productId: string,
  files: readonly ExportedFile[],
  readContent: ReadContent,
): Promise<void> {
  for (const file of files) {
    const bytes = await readContent(file);
    await requireFileRoom(database, bytes.length);
    await callService(
      database,
      "import_file",
      {
        p_product_id: productId,
        p_file: { ...file, name: fileName(file.name) },
        p_content: Buffer.from(bytes).toString("base64"),
      },
      z.object({ id: z.uuid() }),
    );
  }
}

async function placeFiles(database: Database, productId: string, files: readonly ExportedFile[]): Promise<void> {
  if (files.length === 0) return;
  const given = { p_product_id: productId, p_files: files };
  await callService(database, "place_files", given, z.object({ id: z.uuid() }));
}
