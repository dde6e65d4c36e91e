import type { DatabaseFacts } from "~/wire/metrics/contract";
import { counter, type Family, gauge, gaugeBy, type Labels } from "./families";

/** Metrics from the database. Every process reports the same values, so dashboards must use max(), never sum(). */
export function databaseFamilies(facts: DatabaseFacts): Family[] {
  return [
    ...jobFamilies(facts),
    gaugeBy("backloom_runs", "Runs that are not over, by status.", "status", facts.runs),
    gauge("backloom_workers_online", "Workers seen a moment ago.", facts.workers_online),
    gauge("backloom_open_questions", "Questions that wait for an answer.", facts.questions.open),
    gauge(
      "backloom_oldest_question_age_seconds",
      "How long the oldest open question waits.",
      facts.questions.oldest_seconds,
    ),
    gauge("backloom_outbox_messages", "Messages still to be sent.", facts.notices.pending),
    gauge(
      "backloom_outbox_age_seconds",
      "How long the oldest message waits to be sent.",
      facts.notices.oldest_seconds ?? 0,
    ),
    gaugeBy("backloom_chat_connected", "Whether a chat service is connected.", "service", chatNumbers(facts, "on")),
    gaugeBy(
      "backloom_chat_messages_waiting",
      "Messages still to be sent to a chat service.",
      "service",
      chatNumbers(facts, "waiting"),
    ),
    ...budgetFamilies(facts),
    // A time of 0 would say 1970.
    ...(Object.keys(facts.schedules).length === 0
      ? []
      : [
          gaugeBy(
            "backloom_schedule_success_timestamp_seconds",
            "When a schedule last succeeded.",
            "entry",
            facts.schedules,
          ),
        ]),
    gauge("backloom_database_connections", "Connections to Postgres by all users.", facts.database.connections),
    gauge(
      "backloom_database_connections_limit",
      "Connections that Postgres takes at most.",
      facts.database.max_connections,
    ),
    gauge("backloom_database_size_bytes", "Size of the database.", facts.database.bytes),
    gaugeBy("backloom_table_rows", "Rows, as Postgres estimates them.", "table", facts.rows),
  ];
}

function jobFamilies({ jobs, leases_lost }: DatabaseFacts): Family[] {
  return [
    gaugeBy(
      "backloom_jobs_queued",
      "Queued jobs by what they wait for (the codes of why_not_moving).",
      "reason",
      jobs.queued,
    ),
    gauge("backloom_jobs_held", "Jobs that workers hold.", jobs.held),
    gauge(
      "backloom_oldest_ready_job_age_seconds",
      "Age of the oldest job that any free worker could take.",
      jobs.oldest_ready_seconds ?? 0,
    ),
    gauge(
      "backloom_longest_claim_wait_seconds",
      "Of the jobs that are held: the longest time from being queued to its claim.",
      jobs.longest_wait_seconds ?? 0,
    ),
    counter("backloom_leases_lost_total", "Leases that ran out without a report.", leases_lost),
  ];
}

function budgetFamilies({ budgets }: DatabaseFacts): Family[] {
  const samples = budgets.map(({ id, product, scope, period, unit, amount, spent }) => {
    const labels: Labels = { budget: id, product, scope, period: period ?? "", unit };
    return { labels, amount, spent };
  });
  return [
    {
      name: "backloom_budget_spent",
      help: "What was used of a budget, in its unit.",
      type: "gauge",
      samples: samples.map(({ labels, spent }) => ({ labels, value: spent })),
    },
    {
      name: "backloom_budget_amount",
      help: "What a budget allows, in its unit.",
      type: "gauge",
      samples: samples.map(({ labels, amount }) => ({ labels, value: amount })),
    },
  ];
}

function chatNumbers({ chats }: DatabaseFacts, part: "on" | "waiting"): Record<string, number> {
  return Object.fromEntries(Object.entries(chats).map(([service, numbers]) => [service, numbers[part]]));
}
