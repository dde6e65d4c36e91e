-- Why: programs that registered to ask for access (RFC 7591). They are public clients without a secret, so knowing an
-- id is worth nothing. Programs identified by the address of a metadata document are not stored here.
create table public.oauth_clients (
  id text primary key constraint oauth_clients_id_length check (char_length(id) between 1 and 200),
  name text not null constraint oauth_clients_name_length check (char_length(name) between 1 and 100),
  redirect_uris text[] not null constraint oauth_clients_redirects check (cardinality(redirect_uris) between 1 and 20),
  created_at timestamptz not null default clock_timestamp(),
  used_at timestamptz
);

comment on table public.oauth_clients is
  'Registered OAuth clients (docs/agents.md, Signing in over OAuth); removed when unused for 30 days. Service only.';

create index oauth_clients_created_at_idx on public.oauth_clients (created_at);

alter table public.oauth_clients enable row level security;

-- Nobody reads clients directly. The service role bypasses row level security.
create policy oauth_clients_service on public.oauth_clients
  for all to service_role using (true) with check (true);

grant select, insert, update, delete on public.oauth_clients to service_role;
