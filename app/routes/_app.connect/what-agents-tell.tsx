import { Section } from "~/components/card";
import { Cell, Table } from "~/components/table";
import { type AgentReports, knownAgents } from "~/contract/known-agents";

const heads: Record<keyof AgentReports, string> = {
  entries: "What you see",
  tokens: "Tokens",
  cost: "Cost",
  resume: "Goes on",
  questions: "Questions",
  limits: "Limits",
};
const names = ["entries", "tokens", "cost", "resume", "questions", "limits"] as const;

/** What comes back from each agent, in the words of the worker's own drivers. */
export function WhatAgentsTell() {
  const rows = Object.values(knownAgents).flatMap(({ title, reports }) =>
    Object.entries(reports).map(([way, told]) => ({ title, way, told })),
  );
  return (
    <Section title="What each agent tells" flush>
      <Table
        stacked
        caption="What each agent tells"
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
