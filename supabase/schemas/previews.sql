-- A preview is the changed application of a job, run by a worker at the commit that was handed in, so that a person can
-- try it (docs/previews.md). The id is also the name of its origin, so it is not to be guessed. A worker that says nothing
-- more has lost its previews: private.preview_state decides that on reading. Written by operations.start_preview,
-- stop_preview and sync_previews.
create table public.previews (
  id text primary key default left(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'), 32)
    constraint previews_id_form check (id ~ '^[0-9a-f]{32}$'),
  product_id uuid not null references public.products (id) on delete cascade,
  job_id uuid not null references public.agent_jobs (id) on delete cascade,
  worker_id uuid references public.agent_workers (id) on delete set null,
  head_sha text not null constraint previews_head_sha_length check (char_length(head_sha) <= 64),
  branch_sha text constraint previews_branch_sha_length check (char_length(branch_sha) <= 64),
  state text not null default 'starting' constraint previews_state_known check (state in ('starting', 'ready', 'failed', 'stopped')),
  stopped_by text constraint previews_stopped_by_known check (stopped_by in ('person', 'idle', 'worker', 'review')),
  log jsonb not null default '[]' constraint previews_log_list
    check (jsonb_typeof(log) = 'array' and jsonb_array_length(log) <= 20 and octet_length(log::text) <= 65536),
  started_by uuid references public.users (id) on delete set null,
  heard_at timestamptz,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint previews_stopped check ((state = 'stopped') = (stopped_by is not null))
);

comment on table public.previews is 'Running applications of jobs that people can try (docs/previews.md).';
comment on column public.previews.branch_sha is 'The commit of the branch as its worker last saw it; another one than head_sha makes the preview old.';
comment on column public.previews.log is 'The last 20 lines of what it printed.';
comment on column public.previews.heard_at is 'When its worker last named it; null until the worker has it.';
create unique index previews_one_alive on public.previews (job_id) where state in ('starting', 'ready');
create index previews_job_idx on public.previews (job_id, created_at);
create index previews_product_idx on public.previews (product_id);
create index previews_worker_idx on public.previews (worker_id) where state in ('starting', 'ready');
create index previews_started_by_idx on public.previews (started_by) where started_by is not null;

alter table public.previews enable row level security;

create policy previews_select on public.previews for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
grant select on public.previews to authenticated;

-- A ticket leads a member from the service to the origin of a preview, once within 30 seconds. Only its SHA-256 is kept.
create table public.preview_tickets (
  ticket_hash bytea primary key constraint preview_tickets_hash_length check (octet_length(ticket_hash) = 32),
  preview_id text not null references public.previews (id) on delete cascade,
  user_id uuid not null references public.users (id) on delete cascade,
  session_id uuid not null references public.user_sessions (id) on delete cascade,
  expires_at timestamptz not null
);

comment on table public.preview_tickets is 'Tickets to previews, good once for 30 seconds (docs/previews.md). Service only.';
create index preview_tickets_preview_id_idx on public.preview_tickets (preview_id);
create index preview_tickets_user_id_idx on public.preview_tickets (user_id);
create index preview_tickets_session_id_idx on public.preview_tickets (session_id);
create index preview_tickets_expires_at_idx on public.preview_tickets (expires_at);

alter table public.preview_tickets enable row level security;

-- No one reads tickets directly: they hold hashes of secrets.

-- A member asks to try the work of a job. One preview of a job lives at a time, and one that lives is the answer. Of the
-- workers that can run it, the one that did the work comes first, then those of the person who asks.
-- Refusals: 404, 403 also for viewers, 409 without work to try, without a worker, or where the repository wants none, 429.
-- Definer: previews are written by functions only (docs/previews.md).
create function operations.start_preview(p_job_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_job(p_job_id);
  v_job public.agent_jobs;
  v_preview public.previews;
  v_worker_id uuid;
  v_refusal text;
begin
  perform private.take_rate_limit('enqueue', auth.uid()::text);
  perform private.lock_product(v_product_id);
  perform private.require_product_write(v_product_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  update public.previews p set state = 'stopped', stopped_by = 'worker'
  where p.job_id = p_job_id and p.state in ('starting', 'ready') and private.preview_state(p) = 'stopped';
  select p.* into v_preview from public.previews p where p.job_id = p_job_id and p.state in ('starting', 'ready');
  if v_preview.id is null then
    v_refusal := private.preview_refusal(v_job);
    if v_refusal is not null then
      perform private.refuse(409, v_refusal);
    end if;
    v_worker_id := private.preview_worker(v_job);
    if v_worker_id is null then
      perform private.refuse(409, 'No worker that has this work and room for a preview is online. Start one for this product, or end another preview (--previews says how many a worker runs).');
    end if;
    insert into public.previews (product_id, job_id, worker_id, head_sha, started_by)
    values (v_product_id, p_job_id, v_worker_id, v_job.head_sha, auth.uid())
    returning * into v_preview;
  end if;
  return json_build_object('preview', private.preview_json(v_preview));
end;
$$;
grant execute on function operations.start_preview to authenticated;
comment on function operations.start_preview is 'scope work';

-- One that has ended stays as it was. Refusals: 404 also without one, 403 also for viewers. Definer: as above.
create function operations.stop_preview(p_job_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_job(p_job_id);
begin
  perform private.lock_product(v_product_id);
  perform private.require_product_write(v_product_id);
  if not exists (select from public.previews p where p.job_id = p_job_id) then
    perform private.refuse_unknown('preview');
  end if;
  update public.previews p set state = 'stopped', stopped_by = 'person' where p.job_id = p_job_id and p.state in ('starting', 'ready');
  return json_build_object('stopped', found);
end;
$$;
grant execute on function operations.stop_preview to authenticated;
comment on function operations.stop_preview is 'scope work';

-- The newest preview of a job, and whether the caller could start one now. Definer: access is checked first.
create function operations.get_preview(p_job_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_job(p_job_id);
  v_job public.agent_jobs;
begin
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  return json_build_object(
    'preview', (
      select private.preview_json(p) from public.previews p where p.job_id = p_job_id order by p.created_at desc, p.id limit 1),
    'may_start', v_product_id in (select private.writable_product_ids()) and not private.is_demo()
      and private.preview_refusal(v_job) is null and private.preview_worker(v_job) is not null);
end;
$$;
grant execute on function operations.get_preview to authenticated;

-- A worker says what became of its previews and hears which it should run: all that are alive, so that a lost answer
-- is repeated by the next one. What a worker of this name ran before a restart has ended. Previews of work that is merged
-- or given up end too. Refusals: 401, 403, 422. Definer: as above; presence is written last (private.touch_worker).
create function operations.sync_previews(
  p_worker text, p_room integer, p_previews jsonb default '[]', p_product_id uuid default null, p_restarted boolean default false
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_user_id uuid := private.require_writer();
  v_worker public.agent_workers := private.ensure_worker(v_user_id, p_worker);
  v_answer json;
begin
  if p_restarted then
    update public.previews p set state = 'stopped', stopped_by = 'worker'
    where p.worker_id = v_worker.id and p.state in ('starting', 'ready') and p.heard_at is not null;
  end if;
  update public.previews p
  set state = r.state, stopped_by = case r.state when 'stopped' then coalesce(r.stopped_by, 'worker') end, heard_at = private.now(),
      log = coalesce(r.log, p.log), branch_sha = coalesce(left(r.branch_sha, 64), p.branch_sha)
  from jsonb_to_recordset(p_previews) r (id text, state text, stopped_by text, log jsonb, branch_sha text)
  where p.id = r.id and p.worker_id = v_worker.id and p.state in ('starting', 'ready');
  update public.previews p set state = 'stopped', stopped_by = 'review'
  from public.agent_jobs j
  where p.worker_id = v_worker.id and p.state in ('starting', 'ready') and j.id = p.job_id
    and (j.merged_at is not null or j.status in ('FAILED', 'CANCELLED'));
  update public.previews p set heard_at = private.now()
  where p.worker_id = v_worker.id and p.state = 'starting' and p.heard_at is null
    and p.product_id in (select private.consented_products(v_user_id, p_product_id));
  select json_build_object('previews', coalesce(json_agg(json_build_object('id', p.id, 'job_id', p.job_id, 'head_sha', p.head_sha,
      'branch', j.branch, 'branch_prefix', private.branch_prefix_of(j.branch, q), 'product', json_build_object('id', q.id, 'repo_url', q.repo_url),
      'repo_url', coalesce(nullif(t.repo_url, ''), q.repo_url), 'may_reach', q.may_reach) order by p.created_at, p.id), '[]'))
  into v_answer
  from public.previews p
  join public.agent_jobs j on j.id = p.job_id
  join public.products q on q.id = p.product_id
  left join public.tasks t on t.id = j.task_id
  where p.worker_id = v_worker.id and p.state in ('starting', 'ready') and q.archived_at is null
    and p.product_id in (select private.consented_products(v_user_id, p_product_id));
  -- A report that was on its way when its worker signed off does not bring it back.
  if p_restarted or not exists (select from public.agent_workers w where w.id = v_worker.id and w.stopped_at is not null) then
    perform private.touch_worker(v_worker.id, null, null, null, p_product_id => p_product_id);
  end if;
  update public.agent_workers w set previews = p_room where w.id = v_worker.id and w.previews <> p_room;
  return v_answer;
end;
$$;
grant execute on function operations.sync_previews to authenticated;
comment on function operations.sync_previews is 'scope work';

-- A member, viewers too, goes to a preview from a session in the browser. All that is not theirs to see is the same 404.
-- Refusals: 404, 429. Definer: tickets are written by functions only.
create function operations.open_preview(p_preview_id text, p_ticket_hash text)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_session_id uuid := (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'session_id')::uuid;
begin
  perform private.take_rate_limit('change', auth.uid()::text);
  insert into public.preview_tickets (ticket_hash, preview_id, user_id, session_id, expires_at)
  select decode(p_ticket_hash, 'hex'), p.id, auth.uid(), v_session_id, private.now() + interval '30 seconds'
  from public.previews p
  where p.id = p_preview_id and p.product_id in (select private.accessible_product_ids()) and v_session_id is not null;
  if not found then
    perform private.refuse_unknown('preview');
  end if;
  perform private.audit(auth.uid(), auth.uid(), 'preview.opened', jsonb_build_object('preview_id', p_preview_id));
  return (
    select json_build_object('job_id', p.job_id, 'state', private.preview_state(p)) from public.previews p where p.id = p_preview_id);
end;
$$;
grant execute on function operations.open_preview to authenticated;
comment on function operations.open_preview is 'reads';

-- The origin of a preview redeems a ticket, once. Null where it is used, late, or of another preview. Service only.
create function operations.enter_preview(p_preview_id text, p_ticket_hash text)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_ticket public.preview_tickets;
begin
  delete from public.preview_tickets t where t.ticket_hash = decode(p_ticket_hash, 'hex') returning t.* into v_ticket;
  delete from public.preview_tickets t where t.expires_at < private.now();
  if v_ticket.preview_id is distinct from p_preview_id or v_ticket.expires_at < private.now() then
    return json_build_object('entered', null);
  end if;
  return json_build_object('entered', json_build_object('user_id', v_ticket.user_id, 'session_id', v_ticket.session_id));
end;
$$;
grant execute on function operations.enter_preview to service_role;

-- Whether this session may see a preview, its state, and whose worker runs it. Null if there is none. Service only.
create function operations.get_preview_access(p_preview_id text, p_user_id uuid, p_session_id uuid)
returns json language plpgsql stable set search_path = '' as $$
begin
  return json_build_object('access', (
    select json_build_object(
      'may_see', exists (select from public.product_members m where m.product_id = p.product_id and m.user_id = p_user_id)
        and exists (select from public.user_sessions s where s.id = p_session_id and s.user_id = p_user_id
          and s.revoked_at is null and s.expires_at > private.now()),
      'state', private.preview_state(p), 'job_id', p.job_id,
      'worker', (select json_build_object('user_id', w.user_id, 'name', w.name) from public.agent_workers w where w.id = p.worker_id))
    from public.previews p where p.id = p_preview_id));
end;
$$;
grant execute on function operations.get_preview_access to service_role;

-- A worker opens the way to a preview that it runs, with a token that may work there. Refusals: 401, 403, 404.
-- Definer: workers of others are read only in part.
create function operations.carry_preview(p_preview_id text)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  if not exists (
    select from public.previews p
    join public.agent_workers w on w.id = p.worker_id
    where p.id = p_preview_id and w.user_id = auth.uid() and private.preview_state(p) in ('starting', 'ready')
      and p.product_id in (select private.writable_product_ids())) then
    perform private.refuse_unknown('preview');
  end if;
  return json_build_object('id', p_preview_id);
end;
$$;
grant execute on function operations.carry_preview to authenticated;
comment on function operations.carry_preview is 'scope work';

create trigger _400_touch before update on public.previews for each row execute function private.tg_any__touch();

create trigger _900_emit after insert on public.previews for each row execute function private.tg_any__emit_job_part('preview');
create trigger _901_emit after update on public.previews for each row
  when (old.state <> new.state or old.log is distinct from new.log or old.branch_sha is distinct from new.branch_sha)
  execute function private.tg_any__emit_job_part('preview');

-- The state as it is now: what a worker has not named for 45 seconds, or not taken for a minute, has ended with it.
create function private.preview_state(p_preview public.previews) returns text language plpgsql stable set search_path = '' as $$
begin
  return case when p_preview.state in ('starting', 'ready')
    and coalesce(p_preview.heard_at + interval '45 seconds', p_preview.created_at + interval '1 minute') < private.now()
    then 'stopped' else p_preview.state end;
end;
$$;
grant execute on function private.preview_state to service_role;

-- One form of a preview. The branch moves on by a push, and by the next attempt before that is pushed.
create function private.preview_json(p_preview public.previews) returns json language plpgsql stable set search_path = '' as $$
declare
  v_state text := private.preview_state(p_preview);
begin
  return json_build_object('id', p_preview.id, 'state', v_state, 'head_sha', p_preview.head_sha,
    'is_old', coalesce(p_preview.branch_sha <> p_preview.head_sha, false) or exists (
      select from public.agent_jobs j where j.id = p_preview.job_id and j.head_sha <> p_preview.head_sha),
    'url', case v_state when 'ready' then '/previews/' || p_preview.id end, 'log', p_preview.log,
    'stopped_by', case v_state when 'stopped' then coalesce(p_preview.stopped_by, 'worker') end);
end;
$$;

-- Why the work of a job cannot be tried, for any person and any worker; null if it can.
create function private.preview_refusal(p_job public.agent_jobs) returns text language plpgsql stable set search_path = '' as $$
begin
  return case
    when p_job.kind = 'PLAN_CHAT' or p_job.head_sha is null or not (p_job.status = 'DONE' or p_job.phase = 'review')
      then 'This job has no work to try yet. Wait until it is handed in.'
    when p_job.merged_at is not null then 'This work is on the main branch already. Start the application from there.'
    when p_job.evidence ->> 'preview' = 'none' then 'The repository wants no previews (`preview: none` in .backloom.yml).'
    when p_job.evidence ->> 'preview' = 'unset'
      then 'The repository does not say how to start it. Add `preview:` to .backloom.yml or a .claude/launch.json on the main branch.'
  end;
end;
$$;

-- The worker that would run a preview of a job: online, with room, of a member who lets it work there, and in a sandbox
-- where the product wants one. Work that was not pushed is only where it was made.
create function private.preview_worker(p_job public.agent_jobs) returns uuid language plpgsql stable set search_path = '' as $$
declare
  v_author_id uuid := (
    select a.worker_id from public.job_attempts a where a.job_id = p_job.id and a.worker_id is not null
    order by coalesce(a.head_sha = p_job.head_sha, false) desc, a.attempt desc limit 1);
begin
  return (
    select w.id
    from public.products p
    join public.product_members m on m.product_id = p.id and m.role <> 'VIEWER'
    join public.agent_workers w on w.user_id = m.user_id
    left join public.tasks t on t.id = p_job.task_id
    where p.id = p_job.product_id and private.is_online(w.last_seen_at, w.stopped_at)
      and coalesce(w.product_id = p.id, m.workers_allowed)
      and (w.confinement <> 'none' or not p.requires_sandbox)
      and (w.id = v_author_id or p_job.pushed_at is not null)
      and (coalesce(t.repo_url, '') in ('', p.repo_url) or private.is_allowed_repo(t.repo_url, w.also_repos))
      and w.previews > (select count(*) from public.previews x where x.worker_id = w.id and private.preview_state(x) in ('starting', 'ready'))
    order by w.id = v_author_id desc nulls last, w.user_id = auth.uid() desc, w.last_seen_at desc, w.id
    limit 1);
end;
$$;
