import { parse } from "csv-parse/sync";
import { ContractError } from "~/wire/errors";
import type { LeftOut } from "~/wire/transfers/left-out";
import { append } from "../append";

/** A CSV file; what no reader asked for is known afterwards. */
interface Csv {
  rows: CsvRow[];
  columns: string[];
  countUnread(leftOut: LeftOut): void;
}

/** A row of a CSV file, by column name. Names may repeat. */
export interface CsvRow {
  first(...names: readonly string[]): string;
  all(...names: readonly string[]): string[];
}

const mostRows = 30_000;
/** Jira repeats a column for each comment and attachment. */
const mostColumns = 1_000;

/** Parses a CSV file and checks that its header has the needed columns. */
export function readCsv(text: string, needed: readonly string[], tool: string): Csv {
  const [header = [], ...lines] = parseLines(text);
  if (header.length > mostColumns)
    throw new ContractError(422, `The file has more than ${mostColumns} columns. Export it with fewer fields.`);
  const places = new Map<string, number[]>();
  for (const [place, name] of header.entries())
    if (name.trim() !== "") append(places, name.trim().toLowerCase(), place);
  const missing = needed.filter((name) => !places.has(name.toLowerCase()));
  if (missing.length > 0)
    throw new ContractError(
      422,
      `This is not a CSV export of ${tool}: the column ${missing.join(", ")} is missing. If it was made in another language, set the language of your ${tool} account to English, and export again.`,
    );
  const asked = new Set<string>();
  const rows = lines.map((line): CsvRow => {
    function* valuesOf(names: readonly string[]): Generator<string> {
      for (const name of names)
        for (const place of places.get(name.toLowerCase()) ?? []) {
          // A short line costs no more than it holds, however wide the header is.
          if (place >= line.length) break;
          const value = line[place]?.trim();
          if (value) yield value;
        }
    }
    return {
      all: (...names) => {
        for (const name of names) asked.add(name.toLowerCase());
        return [...valuesOf(names)];
      },
      first: (...names) => {
        for (const name of names) asked.add(name.toLowerCase());
        return valuesOf(names).next().value ?? "";
      },
    };
  });
  return {
    rows,
    columns: [...places.keys()],
    countUnread: (leftOut) => {
      for (const [name, ofName] of places) {
        if (asked.has(name)) continue;
        const count = lines.filter((line) => ofName.some((place) => line[place]?.trim())).length;
        leftOut.addField(header[ofName[0] ?? 0] ?? name, count);
      }
    },
  };
}

function parseLines(given: string): string[][] {
  // Cells of Windows keep its line ends. Excel names the delimiter in a line before the header, in quotes once it saves again.
  const text = given.replace(/\r\n?/g, "\n");
  const [named, , sign] = /^\uFEFF?("?)sep=(.)\1[,;\t]*\n/i.exec(text) ?? [""];
  try {
    const lines: string[][] = parse(text.slice(named.length), {
      bom: true,
      delimiter: sign ?? delimiterOf(text),
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: 2_000_000,
      to: mostRows + 2,
    });
    if (lines.length > mostRows + 1)
      throw new ContractError(422, `The file has more than ${mostRows} lines. Import it in parts.`);
    return lines;
  } catch (error) {
    if (error instanceof ContractError) throw error;
    const why = error instanceof Error ? error.message.slice(0, 200) : "it cannot be read";
    throw new ContractError(422, `This is not a CSV file: ${why}`);
  }
}

/** Spreadsheets in some countries use semicolons. */
function delimiterOf(text: string): string {
  const [header = ""] = text.slice(0, 20_000).split("\n");
  const count = (sign: string) => header.split(sign).length;
  return [",", ";", "\t"].toSorted((one, other) => count(other) - count(one))[0] ?? ",";
}
