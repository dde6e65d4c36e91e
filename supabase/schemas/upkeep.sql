-- Files of the repository that follow the backlog by pull request: accepted lessons in AGENTS.md, and boxes of done
-- tasks in specs/*/tasks.md. One worker at a time has a row. Written by next_upkeep and report_upkeep.
create table public.upkeeps (
  id uuid primary key default gen_random_uuid(),
  product_id uuid not null references public.products (id) on delete cascade,
  kind text not null constraint upkeeps_kind_known check (kind in ('agents_md', 'spec_boxes')),
  state text not null default 'waiting' constraint upkeeps_state_known check (state in ('waiting', 'open', 'merged', 'closed', 'branch', 'conflict')),
  digest text,
  url text constraint upkeeps_url_form check (url ~ '^https?://' and char_length(url) <= 2000),
  words text constraint upkeeps_words_length check (char_length(words) <= 1000),
  worker text not null constraint upkeeps_worker_length check (char_length(worker) <= 200),
  lease uuid not null default gen_random_uuid(),
  lease_until timestamptz not null,
  look_at timestamptz,
  landed_at timestamptz,
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now(),
  constraint upkeeps_once unique (product_id, kind)
);

comment on table public.upkeeps is 'Files of the repository that follow the backlog by pull request (docs/forges.md).';
comment on column public.upkeeps.digest is 'Of the content that the state is about; another one is due.';
comment on column public.upkeeps.look_at is 'When a worker looks again; null where only new content is due.';
comment on column public.upkeeps.landed_at is 'When the main branch had it first: what is not there after that, a person took out.';

alter table public.upkeeps enable row level security;

create policy upkeeps_select on public.upkeeps for select to authenticated
  using (product_id in (select private.accessible_product_ids()));
revoke select on public.upkeeps from authenticated;
-- Without the lease: who has it may report for the worker.
grant select (id, product_id, kind, digest, state, url, words, worker, lease_until, look_at, landed_at, created_at, updated_at)
  on public.upkeeps to authenticated;

-- A worker with --pr asks which file of the repository is due. One worker has it at a time; when its lease expires,
-- another takes over and sees in git and at the Git host how far it got.
-- Refusals: 404, 403, 429. Definer: upkeeps are written by functions only (docs/forges.md).
create function operations.next_upkeep(p_product_id uuid, p_worker text)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_due record;
  v_upkeep public.upkeeps;
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('upkeeps', auth.uid()::text);
  perform private.lock_product(p_product_id);
  perform private.require_product_write(p_product_id);
  perform private.hear_worker(p_product_id);
  select w.*, u.lease_until into v_due
  from private.wanted_upkeeps(p_product_id) w
  left join public.upkeeps u on u.product_id = p_product_id and u.kind = w.kind
  where case when u.id is null then w.content is not null
    else u.lease_until <= private.now() and (u.digest is distinct from w.digest or u.look_at <= private.now()) end
  order by u.lease_until nulls first, w.kind limit 1;
  if v_due.kind is null then
    return json_build_object('upkeep', null);
  end if;
  insert into public.upkeeps as u (product_id, kind, worker, lease_until)
  values (p_product_id, v_due.kind, left(p_worker, 200), private.now() + interval '5 minutes')
  on conflict on constraint upkeeps_once do update
  set worker = excluded.worker, lease = gen_random_uuid(), lease_until = excluded.lease_until
  returning u.* into v_upkeep;
  return json_build_object('upkeep', (
    select json_build_object('id', v_upkeep.id, 'lease', v_upkeep.lease, 'kind', v_upkeep.kind, 'digest', v_due.digest,
      'product', private.branch_part(p.code, p.id), 'branch', private.upkeep_branch(p, v_upkeep.kind),
      'content', coalesce(v_due.content, '[]'), 'has_landed', v_upkeep.landed_at is not null,
      'open_url', case when v_upkeep.state = 'open' and v_upkeep.digest = v_due.digest then v_upkeep.url end)
    from public.products p where p.id = p_product_id));
end;
$$;
grant execute on function operations.next_upkeep to authenticated;
comment on function operations.next_upkeep is 'scope work';

-- A worker reports what became of a file, with its lease, for the content of that digest. An open pull request, a
-- branch and a conflict are looked at again; what was merged or closed waits for other content. `put_off` returns it
-- for five minutes. Refusals: 404, 403 also for an address elsewhere, 409 for a lease that was taken over, 422, 429.
-- Definer: upkeeps are written by functions only (docs/forges.md).
create function operations.report_upkeep(
  p_upkeep_id uuid, p_lease uuid, p_state text, p_digest text default null, p_url text default null, p_words text default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_upkeep public.upkeeps;
begin
  perform private.require_access('upkeep', p_upkeep_id);
  perform private.take_rate_limit('upkeeps', auth.uid()::text);
  perform private.require_write('upkeep', p_upkeep_id);
  select u.* into v_upkeep from public.upkeeps u where u.id = p_upkeep_id;
  perform private.hear_worker(v_upkeep.product_id, case when p_state <> 'put_off' then
    jsonb_build_object('kind', v_upkeep.kind, 'state', p_state, 'url', coalesce(p_url, v_upkeep.url)) end, array_remove(array[p_url], null));
  update public.upkeeps u
  set state = case p_state when 'put_off' then u.state else p_state end,
      digest = case p_state when 'put_off' then u.digest else p_digest end,
      url = case when p_state in ('open', 'branch', 'conflict') then p_url else coalesce(p_url, u.url) end,
      words = left(p_words, 1000), lease = gen_random_uuid(),
      lease_until = private.now() + case p_state when 'put_off' then interval '5 minutes' else interval '0' end,
      look_at = case when p_state in ('open', 'branch', 'conflict') then private.now() + interval '5 minutes' end,
      landed_at = case when p_state <> 'merged' then u.landed_at when p_digest <> md5('') then coalesce(u.landed_at, private.now()) end
  where u.id = p_upkeep_id and u.lease = p_lease
  returning u.* into v_upkeep;
  if not found then
    perform private.refuse(409, 'Another worker has taken this file over, or it was reported. Ask for the next one.');
  end if;
  return json_build_object('id', v_upkeep.id, 'state', v_upkeep.state);
end;
$$;
grant execute on function operations.report_upkeep to authenticated;
comment on function operations.report_upkeep is 'scope work';

create trigger _400_touch before update on public.upkeeps for each row execute function private.tg_any__touch();

create trigger _900_emit after update on public.upkeeps for each row
  when (old.state is distinct from new.state or old.words is distinct from new.words or old.digest is distinct from new.digest)
  execute function private.tg_any__emit('upkeep', '{product:product_id}', '{"state": "state"}');

-- What each file should hold now, for products that want pull requests: the accepted lessons, and the done tasks of
-- imported features, by feature and number: `001-beds/T003`. Null for none.
create function private.wanted_upkeeps(p_product_id uuid)
returns table (kind text, content json, digest text) language plpgsql stable set search_path = '' as $$
begin
  return query
    select w.kind, w.content, md5(coalesce(w.content::text, ''))
    from (
      values ('agents_md', private.accepted_lessons(p_product_id)), ('spec_boxes', (
        select json_agg(substr(t.external_id, 10) order by t.external_id) from public.tasks t
        where t.product_id = p_product_id and t.status = 'DONE' and t.external_id ~ '^spec-kit:[^/]+/T-?\d{1,6}[a-z]?$'))
    ) w (kind, content)
    where exists (
      select from public.products p where p.id = p_product_id and p.archived_at is null and p.pull_requests <> 'none');
end;
$$;

-- The branch of a file's pull request: every product has its own, also where several share a repository.
create function private.upkeep_branch(p_product public.products, p_kind text)
returns text language plpgsql stable set search_path = '' as $$
begin
  return format('%s/%s/%s', p_product.branch_prefix, private.branch_part(p_product.code, p_product.id), replace(p_kind, '_', '-'));
end;
$$;

-- Each file that has or had content, for the page of lessons. Content that no report was about waits for a worker.
create function private.upkeep_states(p_product_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object('kind', w.kind, 'state', case when u.digest = w.digest then u.state else 'waiting' end,
      'url', u.url, 'branch', private.upkeep_branch(p, w.kind), 'words', u.words) order by w.kind), '[]')
    from private.wanted_upkeeps(p_product_id) w
    join public.products p on p.id = p_product_id
    left join public.upkeeps u on u.product_id = p_product_id and u.kind = w.kind
    where w.content is not null or u.state <> 'merged' or u.digest <> w.digest);
end;
$$;
