import { type AgentReports, knownAgents } from "~/nouns/workers/known-agents";
import { Section } from "~/ui/card";
import { Cell, Table } from "~/ui/table";

const heads: Record<keyof AgentReports, string> = {
  entries: "Output",
  tokens: "Tokens",
  cost: "Cost",
  resume: "Resume",
  questions: "Questions",
  limits: "Limits",
};
const names = ["entries", "tokens", "cost", "resume", "questions", "limits"] as const;

/** What each agent reports, as stated by the worker's drivers. */
export function WhatAgentsTell() {
  const rows = Object.values(knownAgents).flatMap(({ title, reports }) =>
    Object.entries(reports).map(([way, told]) => ({ title, way, told })),
  );
  return (
    <Section title="What agents report" flush>
      <Table
        stacked
        caption="What agents report"
        head={["Agent", ...names.map((name) => heads[name])]}
      >
        {rows.map(({ title, way, told }) => (
          <tr key={way}>
            <Cell>
              <span className="font-medium">{title}</span>
              <code className="block text-xs text-muted">{way}</code>
            </Cell>
            {names.map((name) => (
              <Cell key={name} label={heads[name]}>
                {told[name]}
              </Cell>
            ))}
          </tr>
        ))}
      </Table>
    </Section>
  );
}
