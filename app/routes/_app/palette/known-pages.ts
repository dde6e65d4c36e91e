export interface KnownPage {
  /** Address, or page of the current product. */
  to: string;
  label: string;
  words: string;
}

export const knownPages: readonly KnownPage[] = [
  { to: "/start", label: "First steps", words: "demo sample begin tour help" },
  { to: "/import", label: "Import stories", words: "linear github jira trello markdown csv file" },
  { to: "/inbox?show=reviews", label: "Reviews", words: "review approve verdict inbox" },
  { to: "/inbox?show=failures", label: "Failures", words: "failed conflict paused inbox" },
  { to: "/inbox?show=mentions", label: "Mentions", words: "comments inbox" },
  { to: "/inbox?show=later", label: "Snoozed", words: "later inbox" },
  { to: "/inbox?show=done", label: "Archived items", words: "archive inbox" },
  { to: "/insights/agents", label: "Agents compared", words: "scoreboard models cost insights" },
  { to: "/settings", label: "Profile", words: "name picture avatar password email account" },
  { to: "/settings/tokens", label: "API tokens", words: "create revoke token key secret" },
  { to: "/settings/devices", label: "Devices", words: "sessions log out sign out other devices pair phone" },
  { to: "/settings/chats", label: "Chats", words: "telegram slack discord matrix bot questions messages" },
  { to: "/settings/notifications", label: "Notifications", words: "push phone browser" },
  { to: "/settings/activity", label: "Activity", words: "audit history log" },
  { to: "/search", label: "Search", words: "find" },
];

export const knownAdminPages: readonly KnownPage[] = [
  { to: "/admin/audit", label: "Audit log", words: "history activity administration" },
  { to: "/admin/chats", label: "Chat services", words: "telegram slack discord matrix bot administration" },
  { to: "/admin/prices", label: "Prices", words: "models cost tokens administration" },
];

export const knownProductPages: readonly KnownPage[] = [
  { to: "backlog?panel=paste", label: "Paste a list", words: "markdown text import several stories tasks" },
  { to: "runs/new", label: "New run: choose tasks, press r", words: "start work agents preflight" },
  { to: "triage", label: "Triage", words: "accept decline merge intake" },
  { to: "members", label: "Invite members", words: "add people person role viewer owner join link remove" },
  { to: "lessons", label: "Lessons", words: "accept decline retire learned agents" },
  { to: "files", label: "Files", words: "upload picture recording document" },
  { to: "settings/general", label: "Name, code and labels", words: "rename repository definition of done color" },
  { to: "settings/agents", label: "How agents work", words: "gate person review plan failure branches sandbox policy" },
  { to: "settings/code-host", label: "Git host", words: "github gitlab pull requests merge address" },
  { to: "settings/automation", label: "Budgets and automation", words: "budget cost limit stop schedule" },
  { to: "settings/integrations", label: "Webhooks and intake", words: "integrations webhook alerts address import" },
  { to: "settings/danger", label: "Archive or delete the product", words: "restore danger remove" },
];
