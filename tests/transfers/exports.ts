/** Small exports as the other tools write them, after their documentation. */
export const linear = [
  "ID,Team,Title,Description,Status,Estimate,Priority,Project ID,Project,Creator,Assignee,Labels,Created,Updated,Started,Completed,Canceled,Archived,Parent issue",
  'ENG-1,Engineering,"Sign in, at last","Line one\n\n- a list",In Progress,3,Urgent,p1,Accounts,ada@example.com,ADA@example.com,"Bug, Web",2026-03-01T10:00:00.000Z,2026-03-02T10:00:00.000Z,2026-03-02T10:00:00.000Z,,,,',
  "ENG-2,Engineering,Check the password,,Done,,High,p1,Accounts,ada@example.com,,,2026-03-01T11:00:00.000Z,,,2026-03-03T10:00:00.000Z,,,ENG-1",
  "ENG-3,Engineering,Remember me,,Backlog,,No priority,,,ada@example.com,eve@example.com,web,2026-03-01T12:00:00.000Z,,,,,,",
  "ENG-4,Engineering,Given up,,Canceled,,Low,,,ada@example.com,,,2026-03-01T12:00:00.000Z,,,,2026-03-02T12:00:00.000Z,,",
  "ENG-5,Engineering,Long ago,,Done,,Low,,,ada@example.com,,,2025-03-01T12:00:00.000Z,,,2025-03-02T12:00:00.000Z,,2025-09-01T12:00:00.000Z,",
].join("\n");

export const github = JSON.stringify([
  {
    number: 7,
    title: "Crash on start",
    body: "It crashes.\n\n- [x] Find it\n- [ ] Mend it\n",
    state: "OPEN",
    stateReason: "",
    labels: [{ id: "L1", name: "bug", description: "", color: "d73a4a" }],
    assignees: [{ id: "U1", login: "ada", name: "Ada" }],
    milestone: { number: 1, title: "1.0", description: "", dueOn: null },
    createdAt: "2026-02-03T04:05:06Z",
    url: "https://github.example/acme/app/issues/7",
    comments: [{ author: { login: "bob" }, body: "Me too", createdAt: "2026-02-04T00:00:00Z" }],
  },
  { number: 8, title: "Docs", body: null, state: "CLOSED", stateReason: "COMPLETED" },
  { number: 9, title: "Rewrite it", body: "", state: "CLOSED", stateReason: "NOT_PLANNED" },
]);

export const jira = [
  "Summary,Issue key,Issue id,Issue Type,Status,Status Category,Priority,Resolution,Assignee,Created,Labels,Labels,Original Estimate,Description,Parent,Parent key,Comment,Comment",
  'Checkout,SHOP-1,10001,Epic,To Do,To Do,Medium,,,23/Nov/25 9:05 AM,,,,"h2. Why\n*Money*",,,,',
  'Pay by card,SHOP-2,10002,Story,Ready for QA,In Progress,Highest,,ada,23/Nov/25 9:06 AM,payments,web,,"Use {{stripe}}\n# one\n# two",10001,SHOP-1,23/Nov/25 10:00 AM;bob;Looks good,24/Nov/25 10:00 AM;ada;Thanks',
  "Form,SHOP-3,10003,Sub-task,Done,Done,Medium,Done,,23/Nov/25 9:07 AM,,,7200,,10002,SHOP-2,,",
  "Refund,SHOP-4,10004,Bug,Closed,Done,Low,Won't Do,,23/Nov/25 9:08 AM,,,,,,,,",
].join("\r\n");

export const trello = JSON.stringify({
  id: "5f0000000000000000000001",
  name: "Garden",
  lists: [
    { id: "l1", name: "To Do", closed: false },
    { id: "l2", name: "Done", closed: false },
    { id: "l3", name: "Ideas for spring", closed: false },
  ],
  members: [{ id: "m1", fullName: "Ada", username: "ada" }],
  labels: [{ id: "x", name: "", color: "green" }],
  cards: [
    {
      id: "65000000aaaaaaaaaaaaaaa1",
      name: "Plant beans",
      desc: "In rows",
      closed: false,
      idList: "l1",
      idMembers: ["m1"],
      labels: [{ id: "x", name: "", color: "green" }],
      dueComplete: false,
    },
    { id: "65000000aaaaaaaaaaaaaaa2", name: "Buy soil", desc: "", closed: false, idList: "l2" },
    { id: "65000000aaaaaaaaaaaaaaa3", name: "A pond", desc: "", closed: false, idList: "l3" },
    { id: "65000000aaaaaaaaaaaaaaa4", name: "Old", desc: "", closed: true, idList: "l1" },
  ],
  checklists: [
    {
      id: "c1",
      idCard: "65000000aaaaaaaaaaaaaaa1",
      name: "Steps",
      checkItems: [
        { id: "i1", name: "Dig", state: "complete" },
        { id: "i2", name: "Sow", state: "incomplete" },
      ],
    },
  ],
  actions: [
    {
      type: "commentCard",
      date: "2026-01-02T03:04:05.000Z",
      data: { text: "Two rows", card: { id: "65000000aaaaaaaaaaaaaaa1" } },
      memberCreator: { username: "bob" },
    },
  ],
});

export function manyOfLinear(count: number): string {
  const lines = ["ID,Title,Description,Status,Priority,Project,Labels,Parent issue"];
  for (let number = 1; number <= count; number++) {
    const project = `Project ${number % 7}`;
    const status = number % 3 === 0 ? "Done" : "Todo";
    lines.push(`ENG-${number},Issue ${number},"What\nand why",${status},Medium,${project},Bug,`);
    if (number % 5 === 0) lines.push(`SUB-${number},Part of ${number},,Todo,Low,${project},,ENG-${number}`);
  }
  return lines.join("\n");
}
