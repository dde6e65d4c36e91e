-- What keeps a worker's agents and commands from its machine; none: nothing. open: nothing limits their network.
create type public.confinement as enum ('bwrap', 'docker', 'command', 'none', 'bwrap_open', 'docker_open');

-- Each worker with its user, when it was last seen and how much quota it has left (specification: Other records,
-- Agent worker). On starting, it reports which coding agents its machine has.
-- The name is unique per user and stays the same across restarts, so that a restart can close the jobs it held.
create table public.agent_workers (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.users (id) on delete cascade,
  name text not null constraint agent_workers_name_length check (char_length(name) between 1 and 100),
  hostname text constraint agent_workers_hostname_length check (char_length(hostname) <= 255),
  version text constraint agent_workers_version_length check (char_length(version) <= 50),
  last_seen_at timestamptz not null default private.now(),
  last_quota_pct integer constraint agent_workers_quota_range check (last_quota_pct between 0 and 100),
  last_quota_check_at timestamptz,
  stopped_at timestamptz,
  agents jsonb constraint agent_workers_agents_list
    check (jsonb_typeof(agents) = 'array' and jsonb_array_length(agents) <= 20 and octet_length(agents::text) <= 4096),
  confinement public.confinement not null default 'none',
  also_repos jsonb not null default '[]' constraint agent_workers_also_repos_list
    check (jsonb_typeof(also_repos) = 'array' and jsonb_array_length(also_repos) <= 100 and octet_length(also_repos::text) <= 65536),
  offers jsonb not null default '[]' constraint agent_workers_offers_list
    check (jsonb_typeof(offers) = 'array' and jsonb_array_length(offers) <= 20 and octet_length(offers::text) <= 65536),
  created_at timestamptz not null default private.now(),
  product_id uuid,
  previews smallint not null default 0,
  constraint agent_workers_user_id_name_key unique (user_id, name)
);

comment on table public.agent_workers is 'Presence of workers (specification: Agent worker): last seen, quota. Its jobs are in agent_jobs.';

comment on column public.agent_workers.confinement is 'Sandbox of its agents, as of its last claim.';
comment on column public.agent_workers.product_id is 'The product whose jobs it takes, as its last claim said; null: of all.';
comment on column public.agent_workers.previews is 'How many previews it runs at once (docs/previews.md).';
comment on column public.agent_workers.offers is
  'The agents that do its jobs, as its last claim said: id, and where known models, quota_pct, limited_until.';
comment on column public.agent_workers.also_repos is
  'Repositories of tasks that its person named: addresses, or beginnings of addresses that end in "/"; without credentials.';

alter table public.agent_workers enable row level security;

create policy agent_workers_select on public.agent_workers for select to authenticated
  using (user_id in (
    select m.user_id from public.product_members m where m.product_id in (select private.accessible_product_ids()))
    or user_id = (select auth.uid()));

-- The repositories a user listed for a worker, and its product, stay private: members of a shared product read only the other columns.
grant select (id, user_id, name, hostname, version, last_seen_at, last_quota_pct, last_quota_check_at, stopped_at, agents, confinement,
  offers, created_at) on public.agent_workers to authenticated;
