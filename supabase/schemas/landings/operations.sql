-- A worker asks for the next branch to land. One worker has it at a time; when its lease expires, another takes over
-- and sees in git how far it got. Without p_pushes it only merges pull requests. Refusals: 404, 403 without the right
-- to work in the product, 429. Definer: landings are written by functions only (docs/forges.md).
create function operations.next_landing(p_product_id uuid, p_worker text, p_pushes boolean default false)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_landing public.landings;
  v_next record;
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('landings', auth.uid()::text);
  perform private.lock_product(p_product_id);
  perform private.require_product_write(p_product_id);
  perform private.hear_worker(p_product_id);
  if not p_pushes and (select p.pull_requests = 'none' from public.products p where p.id = p_product_id) then
    return json_build_object('landing', null);
  end if;
  select l.* into v_landing from public.landings l where l.product_id = p_product_id and l.finished_at is null;
  if v_landing.state = 'waiting_ci' and v_landing.updated_at < private.now() - interval '3 hours' then
    v_landing := private.end_landing(v_landing, 'refused', 'CI has said nothing about it for three hours.');
  end if;
  -- CI that has not begun by then is not waited for; the worker tests by itself, or says that nothing tests it.
  if v_landing.state = 'waiting_ci' and v_landing.updated_at < private.now() - interval '10 minutes' and exists (
    select from public.pulls p where p.product_id = p_product_id and p.branch = v_landing.branch and p.head_sha = v_landing.head_sha and p.ci = 'none')
  then
    update public.landings l set state = 'working', lease_until = private.now() where l.id = v_landing.id returning l.* into v_landing;
  end if;
  -- CI or a reviewer may have sent it back meanwhile.
  if v_landing.id is not null and v_landing.finished_at is null and not exists (
    select from public.agent_jobs j where j.id = v_landing.job_id and j.status = 'DONE' and j.head_sha = v_landing.ours_sha)
  then
    v_landing := private.end_landing(v_landing, 'refused', 'Its work has changed.');
  end if;
  if v_landing.id is null or v_landing.finished_at is not null then
    select q.* into v_next from private.landing_queue(p_product_id) q order by q.place limit 1;
    if v_next.job_id is null then
      return json_build_object('landing', null);
    end if;
    insert into public.landings (product_id, job_id, branch, ours_sha, worker, lease_until)
    values (p_product_id, v_next.job_id, v_next.branch, v_next.head_sha, left(p_worker, 200), private.now() + interval '5 minutes')
    returning * into v_landing;
  elsif v_landing.state = 'waiting_ci' or v_landing.lease_until > private.now() then
    return json_build_object('landing', null);
  else
    update public.landings l
    set worker = left(p_worker, 200), lease = gen_random_uuid(), lease_until = private.now() + interval '5 minutes'
    where l.id = v_landing.id
    returning l.* into v_landing;
  end if;
  return json_build_object('landing', private.landing_json(v_landing) || (
    select jsonb_build_object('lease', v_landing.lease, 'repo_url', coalesce(nullif(t.repo_url, ''), p.repo_url), 'may_reach', p.may_reach,
      'task_code', t.code,
      'pull', (
        select jsonb_build_object('number', x.number, 'url', x.url, 'head_sha', x.head_sha, 'ci', x.ci,
          'expects_ci', private.expects_ci(v_landing)) from public.pulls x
        where x.product_id = p.id and x.branch = v_landing.branch and x.state = 'open' order by x.number desc limit 1))
    from public.agent_jobs j
    join public.products p on p.id = j.product_id
    join public.tasks t on t.id = j.task_id
    where j.id = v_landing.job_id));
end;
$$;
grant execute on function operations.next_landing to authenticated;
comment on function operations.next_landing is 'scope work';

-- CI of a fresh commit takes a while to register, and until then there is nothing to see. Where earlier pull
-- requests had CI, it is waited for; ten minutes after the landing began it has had its chance (docs/forges.md).
create function private.expects_ci(p_landing public.landings)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return p_landing.created_at > private.now() - interval '10 minutes' and exists (
    select from (
      select p.id, p.ci, p.branch from public.pulls p where p.product_id = p_landing.product_id order by p.number desc limit 20
    ) p
    where p.ci <> 'none' or exists (
      select from public.pull_reactions r where r.pull_id = p.id and r.kind in ('ci_passed', 'ci_failed')));
end;
$$;

-- A worker reports the progress of a landing, with its lease. `working` renews the lease, `waiting_ci` hands over to CI
-- of the merged state, `put_off` returns it for a minute (the fifth time it counts as refused), `untested` waits up to
-- half an hour for CI to begin; `landed`, `conflict`, `test_failed` and `refused` end it. Work that does not merge or
-- fails its tests returns to its agent, twice; the third time a person is asked. Refusals: 404, 403, 409 for a lease
-- that was taken over, 422, 429. Definer: landings are written by functions only (docs/forges.md).
create function operations.report_landing(
  p_landing_id uuid, p_lease uuid, p_state text, p_head_sha text default null, p_words text default null
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_landing public.landings;
  v_words text := left(p_words, 10000);
begin
  perform private.require_access('landing', p_landing_id);
  perform private.take_rate_limit('landings', auth.uid()::text);
  perform private.require_write('landing', p_landing_id);
  select l.* into v_landing from public.landings l where l.id = p_landing_id;
  perform private.hear_worker(v_landing.product_id, case when p_state in ('landed', 'conflict', 'test_failed', 'refused') then
    jsonb_build_object('branch', v_landing.branch, 'state', p_state, 'head_sha', p_head_sha) end);
  if v_landing.lease is distinct from p_lease or v_landing.state <> 'working' then
    perform private.refuse(409, 'Another worker has taken this landing over, or it has ended. Ask for the next one.');
  end if;
  if p_state = 'put_off' and v_landing.tries >= 4
    or p_state = 'untested' and v_landing.created_at < private.now() - interval '30 minutes'
  then
    p_state := 'refused';
  end if;
  case
    when p_state in ('working', 'put_off', 'untested', 'waiting_ci') then
      update public.landings l
      set state = case p_state when 'waiting_ci' then 'waiting_ci' else 'working' end,
          head_sha = coalesce(p_head_sha, l.head_sha), words = v_words, tries = l.tries + (p_state = 'put_off')::integer,
          lease_until = private.now() + case p_state when 'put_off' then interval '1 minute' when 'untested' then interval '10 seconds'
            else interval '5 minutes' end,
          lease = case when p_state in ('put_off', 'untested') then gen_random_uuid() else l.lease end
      where l.id = p_landing_id
      returning l.* into v_landing;
    else
      v_landing := private.end_landing(v_landing, p_state, v_words, p_head_sha);
  end case;
  return private.landing_json(v_landing);
end;
$$;
grant execute on function operations.report_landing to authenticated;
comment on function operations.report_landing is 'scope work';
