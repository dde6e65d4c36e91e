-- Verdicts that can still be taken back.
create table public.pending_verdicts (
  job_id uuid primary key references public.agent_jobs (id) on delete cascade,
  product_id uuid not null references public.products (id) on delete cascade,
  user_id uuid not null references public.users (id) on delete cascade,
  verdict_id uuid not null,
  place integer not null,
  review_id uuid not null,
  attempt integer not null constraint pending_verdicts_attempt_positive check (attempt >= 1),
  verdict text not null constraint pending_verdicts_verdict_known check (verdict in ('approve', 'request_changes')),
  summary text not null constraint pending_verdicts_summary_length check (char_length(summary) <= 10000),
  head_sha text constraint pending_verdicts_head_sha_length check (char_length(head_sha) <= 64),
  criteria jsonb,
  confirm jsonb,
  given_at timestamptz not null,
  undo_until timestamptz not null
);
create index pending_verdicts_verdict_id_idx on public.pending_verdicts (verdict_id);
create index pending_verdicts_product_id_idx on public.pending_verdicts (product_id);
create index pending_verdicts_user_id_idx on public.pending_verdicts (user_id);
