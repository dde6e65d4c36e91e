import type { ExportDocumentInput } from "~/nouns/transfers/export-document";
import { reviewedStories } from "./changes";

export type ProductCode = (typeof products)[number]["code"];

/** Numbers that look random and are the same each morning. */
export function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const day = 86_400_000;
const weeks = (n: number) => n * 7 * day;
const sprints = 26;

export const products = [
  {
    code: "SHOP",
    name: "Corner shop",
    owner: "mira",
    about: "A web shop for small makers.",
    check: "npm test",
    things: ["order", "voucher", "product", "customer", "invoice", "shipment", "review", "basket"],
  },
  {
    code: "ROUTE",
    name: "Courier routes",
    owner: "jonas",
    about: "Which parcel goes with whom, and when.",
    check: "go test ./...",
    things: ["parcel", "route", "shift", "stop", "depot", "van", "claim", "receipt"],
  },
  {
    code: "NOTES",
    name: "Field notes",
    owner: "mira",
    about: "Notes that work without a connection.",
    check: "pytest -q",
    things: ["note", "notebook", "tag", "photo", "sketch", "reminder", "template", "recording"],
  },
] as const;

const an = (thing: string) => `${/^[aeio]/.test(thing) ? "an" : "a"} ${thing}`;

const wishes: readonly ((thing: string) => [title: string, why: string])[] = [
  (x) => [`Filter ${x}s by date`, `No one scrolls through a year of ${x}s.`],
  (x) => [`Export ${x}s as CSV`, "The bookkeeper works in a spreadsheet."],
  (x) => [`Find ${an(x)} by a part of its name`, "People know a word of it, not its number."],
  (x) => [`Undo the removal of ${an(x)}`, "It happens twice a week, and support has to restore it."],
  (x) => [`Show who changed ${an(x)}`, "Two people edit the same one and do not know it."],
  (x) => [`Import ${x}s from a spreadsheet`, "New teams type for days."],
  (x) => [`Keep the list fast with 10,000 ${x}s`, "The largest team waits four seconds."],
  (x) => [`Tell people when ${an(x)} changes`, "They reload the page to see."],
  (x) => [`Share ${an(x)} by link`, "Screenshots go around today."],
  (x) => [`Archive ${x}s that no one needs`, "Old ones hide the new ones."],
  (x) => [`Print ${an(x)} on one page`, "It is needed where there is no screen."],
  (x) => [`Reach every ${x} by keyboard`, "A tester could not get past the menu."],
  (x) => [`Say why ${an(x)} was refused`, "The page says only that something went wrong."],
];
export const parts = ["Add the query", "Build the page", "Cover the edges with tests", "Write the endpoint"];

/** A product with its year of finished sprints, and the sprint that runs now, whose work is still to be begun. */
export function backlogOf(product: (typeof products)[number], now: number): ExportDocumentInput {
  const next = numbersFrom(product.code.length * 7 + product.things.length);
  const at = (ms: number) => new Date(ms).toISOString();
  const begun = (n: number) => now - weeks(2) * (sprints - n) - 5 * day;
  const titled = product.things.map((thing) => ({ thing, stories: [] as StoryInput[] }));
  for (const [n, wish] of wishes.entries()) {
    for (const [m, { thing, stories }] of titled.entries()) {
      const [title, why] = wish(thing);
      const sprint = Math.floor((n * titled.length + m) / 4);
      const count = 2 + next(2);
      stories.push({
        title,
        description: why,
        acceptance_criteria: `- It works with one ${thing} and with a thousand\n- It is said in the changelog`,
        priority: 1 + next(4),
        sprint: `SP-${sprint + 1}`,
        status: "DONE",
        labels: next(3) === 0 ? ["bug"] : [],
        created_at: at(begun(sprint) - next(20) * day),
        tasks: parts
          .slice(0, count)
          .map((part) => ({
            title: `${part} for ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
            implementation_plan: `1. ${part}\n2. Run \`${product.check}\``,
            status: "DONE",
            created_at: at(begun(sprint) - day),
          })),
      });
    }
  }
  const current = currentStories(product.code);
  return {
    format: "backloom-export",
    version: 1,
    product: {
      code: product.code,
      name: product.name,
      description: product.about,
      repo_url: `https://git.example.com/team/${product.code.toLowerCase()}.git`,
      definition_of_done: `- \`${product.check}\` passes`,
      pr_strategy: "STORY",
      done_requires: "person",
      agent_items: "triage",
      on_failure: "ask",
      created_at: at(begun(0) - weeks(1)),
    },
    members: ["mira", "jonas"].map((username) => ({ username, role: "MEMBER" as const })),
    labels: [
      { name: "bug", color: "#c2410c" },
      { name: "customer", color: "#1d4ed8" },
    ],
    sprints: Array.from({ length: sprints + 1 }, (_, n) => ({
      code: `SP-${n + 1}`,
      sprint_goal:
        n === sprints
          ? currentGoals[product.code]
          : `${wishes[Math.floor(n / 2)]?.(`${product.things[(n % 2) * 4] ?? ""}`)[0]}`,
      status: n === sprints ? ("ACTIVE" as const) : ("COMPLETED" as const),
      start_date: at(begun(n)).slice(0, 10),
      end_date: at(begun(n) + weeks(2) - day).slice(0, 10),
      started_at: at(begun(n)),
      completed_at: n === sprints ? null : at(begun(n) + weeks(2) - day / 2),
      created_at: at(begun(n) - day),
    })),
    pbis: [
      ...titled.map(({ thing, stories }) => ({
        title: `${thing.charAt(0).toUpperCase()}${thing.slice(1)}s`,
        status: "DONE" as const,
        stories,
      })),
      { title: currentGoals[product.code], description: "What this quarter is about.", stories: current },
    ],
    lessons: [
      {
        text: `Run \`${product.check}\` before you hand in, not only the file that you changed.`,
        status: "accepted",
        cause: "changes_requested",
        accepted_by: "mira",
        since: at(now - weeks(9)),
      },
    ],
  };
}

type StoryInput = NonNullable<NonNullable<ExportDocumentInput["pbis"]>[number]["stories"]>[number];

const currentGoals: Record<ProductCode, string> = {
  SHOP: "No one leaves at the last step",
  ROUTE: "A driver knows what comes next",
  NOTES: "Notes are at home everywhere",
};

/** Work of the sprint that does not end in a review; the title of the task says what becomes of it (open-morning.ts). */
export const otherWork = {
  runs: ["SHOP", "Pay with a card that is on file", "Keep the card at the payment service"],
  asks: ["SHOP", "Offer delivery on Saturdays", "Ask the carrier which places it reaches on Saturdays"],
  asksToo: ["NOTES", "Record a voice note while the screen is off", "Keep recording in the background"],
  fails: ["ROUTE", "Warn of a closed road", "Read the feed of closed roads"],
  conflicts: ["NOTES", "Link one note to another", "Follow links in the editor"],
  plans: ["ROUTE", "Plan tomorrow's stops overnight", "Order the stops of each van"],
} as const satisfies Record<string, readonly [ProductCode, story: string, task: string]>;

/** These have a run of their own, outside the sprint. */
const alone: readonly string[] = [otherWork.conflicts[1], otherWork.plans[1]];

function currentStories(code: ProductCode): StoryInput[] {
  const of = { sprint: "SP-27", status: "IN_SPRINT" as const };
  const reviewed = reviewedStories
    .filter(({ product }) => product === code)
    .map(
      (story): StoryInput => ({
        ...of,
        title: story.title,
        description: story.why,
        acceptance_criteria: story.criteria.map((line) => `- ${line}`).join("\n"),
        labels: ["customer"],
        tasks: story.changes.map(({ task, plan }) => ({
          title: task,
          description: story.why,
          implementation_plan: plan,
          estimated_minutes: 45,
        })),
      }),
    );
  const others = Object.values(otherWork)
    .filter(([product]) => product === code)
    .map(
      ([, title, task]): StoryInput => ({
        ...(alone.includes(title) ? {} : of),
        title,
        description: "Asked for by three customers this month.",
        acceptance_criteria: "- It works on a phone\n- It is said in the changelog",
        tasks: [
          {
            title: task,
            implementation_plan:
              title === otherWork.plans[1] ? null : "1. Read what is there\n2. Change it\n3. Test it",
            status: "TO_DO",
          },
        ],
      }),
    );
  return [
    ...reviewed,
    ...others,
    ...["Tell everyone what is new", "Measure whether it helped"].map(
      (title, n): StoryInput => ({
        ...of,
        title,
        description: "Begins once the work before it is in.",
        blocked_by: [`ST-${wishes.length * 8 + 1 + n}`],
        acceptance_criteria: "- It is read by at least a hundred people",
        tasks: [
          {
            title: `${title.split(" ")[0]} it in the changelog`,
            implementation_plan: "1. Write three sentences",
            status: "DONE",
          },
          { title: `${title.split(" ")[0]} it a week later`, implementation_plan: "1. Look at the numbers" },
        ],
      }),
    ),
    // No agent has begun it, and what runs is at the same files.
    ...(code === "SHOP"
      ? [
          {
            title: "Split a payment over two cards",
            description: "Couples ask for it.",
            tasks: [
              { title: "Charge two cards at the payment service", implementation_plan: "1. Half to each\n2. Test" },
            ],
          },
        ]
      : []),
  ];
}

/** A public backlog of 400 issues, as the other tool exports it. */
export function exportedIssues(now: number): string {
  const next = numbersFrom(400);
  const pick = (words: readonly string[]) => words[next(words.length)] ?? "";
  const areas = ["Editor", "Sync", "Search", "Mobile", "API", "Billing", "Import", "Accessibility"];
  const states = ["Backlog", "Backlog", "Todo", "In Progress", "In Review", "Done", "Done", "Done"];
  const verbs = [
    "crashes when",
    "loses its place when",
    "shows the wrong date after",
    "is slow while",
    "should remember",
    "cannot be reached after",
  ];
  const what = [
    "the list is empty",
    "two people edit at once",
    "the connection is lost",
    "a file of 200 MB is dropped",
    "the language changes",
    "the window is narrow",
    "a name has an emoji",
    "the clock changes",
  ];
  const rows = Array.from({ length: 400 }, (_, n) => {
    const [area, state] = [pick(areas), pick(states)];
    const created = new Date(now - (400 - n) * 0.9 * day).toISOString();
    const parent = n > 40 && next(3) === 0 ? `PUB-${1 + next(40)}` : "";
    const title = `${area}: ${pick(["page", "panel", "menu", "list", "dialog"])} ${pick(verbs)} ${pick(what)}`;
    const description = `## Steps\n\n1. Open ${area.toLowerCase()}\n2. Wait until ${pick(what)}\n3. Look at the log\n\n**Expected**: nothing is lost. **Seen**: ${pick(["an empty page", "a spinner that never ends", "an old version", "error 500"])} (version ${3 + next(3)}.${next(20)}).`;
    return [
      `PUB-${n + 1}`,
      title,
      description,
      state,
      pick(["Urgent", "High", "Medium", "Low", "No priority"]),
      area,
      pick(["bug", "enhancement", "good first issue", "bug, regression"]),
      created,
      parent,
    ];
  });
  const heads = ["ID", "Title", "Description", "Status", "Priority", "Project", "Labels", "Created", "Parent issue"];
  return [heads, ...rows].map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")).join("\r\n");
}
