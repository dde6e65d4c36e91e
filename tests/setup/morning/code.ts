/** Files as a team has them in its repositories, one template for each kind. Paths lead to texts; null is a file that goes. */
export type Files = Record<string, string | Buffer | null>;

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** A text with parts replaced; a part that is not there is a mistake in the morning. */
export function edited(
  text: string | Buffer | null | undefined,
  ...changes: readonly [from: string, to: string][]
): string {
  return changes.reduce((now, [from, to]) => {
    if (!now.includes(from)) throw new Error(`The template has no ${from}`);
    return now.replace(from, () => to);
  }, String(text));
}

/** What reads and writes one table of a shop in TypeScript. */
export function tsModule(noun: string, fields: readonly string[]): string {
  const [Noun, columns] = [capital(noun), ["id", ...fields].join(", ")];
  return `import { db, InputError } from "../db";

export interface ${Noun} {
  id: string;
${fields.map((field) => `  ${field}: string;`).join("\n")}
}

/** Newest first. */
export async function list${Noun}s(limit = 50): Promise<${Noun}[]> {
  return db.many<${Noun}>("select ${columns} from ${noun}s order by created_at desc limit $1", [limit]);
}

export async function find${Noun}(id: string): Promise<${Noun} | null> {
  return db.maybe<${Noun}>("select ${columns} from ${noun}s where id = $1", [id]);
}

export async function create${Noun}(input: Omit<${Noun}, "id">): Promise<${Noun}> {
${fields.map((field) => `  if (input.${field} === "") throw new InputError("${field}", "is missing");`).join("\n")}
  return db.one<${Noun}>(
    "insert into ${noun}s (${fields.join(", ")}) values (${fields.map((_, n) => `$${n + 1}`).join(", ")}) returning ${columns}",
    [${fields.map((field) => `input.${field}`).join(", ")}],
  );
}

export async function remove${Noun}(id: string): Promise<boolean> {
  const { count } = await db.run("delete from ${noun}s where id = $1", [id]);
  return count > 0;
}
`;
}

export function tsTest(noun: string, fields: readonly string[]): string {
  const Noun = capital(noun);
  const sample = fields.map((field, n) => `${field}: "${field}-${n + 1}"`).join(", ");
  return `import { describe, expect, it } from "vitest";
import { create${Noun}, find${Noun}, list${Noun}s, remove${Noun} } from "../src/${noun}s/${noun}";

describe("${noun}s", () => {
  it("keeps what was given", async () => {
    const made = await create${Noun}({ ${sample} });
    expect(await find${Noun}(made.id)).toEqual({ id: made.id, ${sample} });
  });

  it("lists the newest first", async () => {
    const [first] = await list${Noun}s(1);
    expect(first?.${fields[0]}).toBe("${fields[0]}-1");
  });

${fields
  .map(
    (field) => `  it("refuses an empty ${field}", async () => {
    await expect(create${Noun}({ ${sample.replace(/: "[^"]*"/, ': ""')} })).rejects.toThrow("${field} is missing");
  });
`,
  )
  .join("\n")}
  it("is gone once removed", async () => {
    const made = await create${Noun}({ ${sample} });
    expect(await remove${Noun}(made.id)).toBe(true);
    expect(await find${Noun}(made.id)).toBeNull();
  });
});
`;
}

/** A store of one table in Go; each belongs to an owner, such as a courier. */
export function goStore(noun: string, owner: string, fields: readonly string[]): string {
  const [Noun, Owner] = [capital(noun), capital(owner)];
  const columns = ["id", `${owner}_id`, ...fields].join(", ");
  const scanned = ["ID", `${Owner}ID`, ...fields.map(capital)].map((field) => `&x.${field}`).join(", ");
  return `package ${noun}s

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// ${Noun} is what a ${owner} has of the day.
type ${Noun} struct {
	ID        string
	${Owner}ID string
${fields.map((field) => `	${capital(field)} string`).join("\n")}
}

// IsOf${Owner} tells whether it belongs to the ${owner}.
func (x ${Noun}) IsOf${Owner}(${owner}ID string) bool {
	return x.${Owner}ID == ${owner}ID
}

// ErrNo${Owner} says that a ${noun} names no ${owner}.
var ErrNo${Owner} = errors.New("${noun}: no ${owner}")

// Store reads and writes ${noun}s of ${owner}s.
type Store struct{ db *sql.DB }

// Of${Owner} lists the ${noun}s of one ${owner}, newest first.
func (s *Store) Of${Owner}(ctx context.Context, ${owner}ID string) ([]${Noun}, error) {
	if ${owner}ID == "" {
		return nil, ErrNo${Owner}
	}
	rows, err := s.db.QueryContext(ctx, "select ${columns} from ${noun}s where ${owner}_id = $1 order by id desc", ${owner}ID)
	if err != nil {
		return nil, fmt.Errorf("${noun}s of ${owner} %s: %w", ${owner}ID, err)
	}
	defer rows.Close()
	var found []${Noun}
	for rows.Next() {
		var x ${Noun}
		if err := rows.Scan(${scanned}); err != nil {
			return nil, err
		}
		found = append(found, x)
	}
	return found, rows.Err()
}

// CountOf${Owner} tells how many ${noun}s a ${owner} has.
func (s *Store) CountOf${Owner}(ctx context.Context, ${owner}ID string) (n int, err error) {
	row := s.db.QueryRowContext(ctx, "select count(*) from ${noun}s where ${owner}_id = $1", ${owner}ID)
	return n, row.Scan(&n)
}

// Give hands a ${noun} to another ${owner}.
func (s *Store) Give(ctx context.Context, id, ${owner}ID string) error {
	if ${owner}ID == "" {
		return ErrNo${Owner}
	}
	result, err := s.db.ExecContext(ctx, "update ${noun}s set ${owner}_id = $2 where id = $1", id, ${owner}ID)
	if err != nil {
		return fmt.Errorf("give ${noun} %s to ${owner} %s: %w", id, ${owner}ID, err)
	}
	if n, _ := result.RowsAffected(); n == 0 {
		return sql.ErrNoRows
	}
	return nil
}
`;
}

export function goTest(noun: string, owner: string): string {
  const Owner = capital(owner);
  const cases = ["keeps the newest first", "needs an owner", "moves to another owner", "is not found twice"];
  return `package ${noun}s

import (
	"context"
	"errors"
	"testing"
)

${cases
  .map(
    (
      name,
      n,
    ) => `func Test${capital(noun)}${name.replace(/(?:^| )(\w)/g, (_, letter) => letter.toUpperCase())}(t *testing.T) {
	store := openStore(t)
	if err := store.Give(context.Background(), "${noun}-${n + 1}", ""); !errors.Is(err, ErrNo${Owner}) {
		t.Fatalf("want ErrNo${Owner}, got %v", err)
	}
	found, err := store.Of${Owner}(context.Background(), "${owner}-${n + 1}")
	if err != nil || len(found) != ${n + 1} {
		t.Fatalf("want ${n + 1} ${noun}s, got %d (%v)", len(found), err)
	}
}
`,
  )
  .join("\n")}`;
}

export const packageJson = (name: string, dependencies: Record<string, string>) =>
  `${JSON.stringify({ name, private: true, type: "module", scripts: { test: "vitest run", start: "node dist/main.js" }, dependencies }, null, 2)}\n`;

/** A lock file, with what each dependency brings along. */
export function lockFile(name: string, dependencies: Record<string, string>): string {
  const packages = Object.entries(dependencies).flatMap(([dependency, version]) =>
    [dependency, ...["core", "types", "locale", "utc"].map((part) => `${dependency}-${part}`)].map((each) => [
      `node_modules/${each}`,
      { version, integrity: `sha512-${each}-${version}`, license: "MIT", engines: { node: ">=18" } },
    ]),
  );
  return `${JSON.stringify({ name, lockfileVersion: 3, packages: Object.fromEntries(packages) }, null, 2)}\n`;
}

export const workflow = `name: test
on: [push]
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install -r requirements.txt
      - run: pytest -q
`;

/** A chart of the times before, and one after. */
export const pictures = [
  "iVBORw0KGgoAAAANSUhEUgAAAWgAAABuAgMAAAB3pWHvAAAADFBMVEX///8kY7Q8PDwAAAAAW8hBAAABHUlEQVR42u2ZMWrDQBBFfwZHiD2By5Aq6DSpRHCl0kdIObjKEVyFrYwwLnIa41JlTmCMA+sUKRxwETDzMQr/VWKLxzBaffgIEOL/cXdxcv98jee0uTgy3tRSS/2nunEATlHvM3EhjWWz3HifPFr9Us2rylublRyrTt0bDtODA70Nwbv2JfCZHGhD1z4BgAE1CgCrwnf9dFwezddlZZHqX3ntP5c7LK8n58f1lvahb0eVIVKPXy2ECG4FXx+KJ6nH2AoyrRXsOuJC+rR4zBS1zcr7MCdNbQNeOep2n0vPUVvtoS3mrC4r84f416i8llpqIcQtW8F1nDaKJ6lvqjarWeqaN3VxmnrKmzrx1NT/MjR1h4XyWvEktVqBECPjG9QGQkeKAPhXAAAAAElFTkSuQmCC",
  "iVBORw0KGgoAAAANSUhEUgAAAWgAAABuAgMAAAB3pWHvAAAADFBMVEX///8kY7Q8PDwAAAAAW8hBAAABIElEQVR42u2ZsUrDYBSFj5cawv8EHcVJ8jROQTpl7CM4Xjr5CJ3kn0ooPoRPURwzCu6ldPh1KBLBQcR7KJHzTT8ZPi43yYGTAEL8Py6+Xbm8/Ty9Pf9JbbyppZb6R3XjAJyi3mfiQhrLZrnxPnm0+q5aVpW3tig5Vp26BxzmBwd6G4J37WvgNTnQhq59BgADahQAVoXv+ua4Pppvy8Yi1V/y2k8Pd1hez8bjdkd70XeTyhCpp68WQoS1ghPvT4onqafYCjKtFbx0xIX0aXWdKWpblMdhSZraBtxz1O0+l56jttpDW8yoLhvzq/jbqLyWWmohxDlbwcgvv0UpnqQ+p9qsZqlr3tTFaeo5b+rEU1P/y9DUHVbKa6mlVisQYmJ8APldQkekPUpdAAAAAElFTkSuQmCC",
].map((text) => Buffer.from(text, "base64"));
