-- Why: a worker reports the progress of a landing, with its lease. `working` renews the lease, `waiting_ci` hands over
-- to CI of the merged state, `put_off` returns it for a minute (the fifth time it counts as refused), `untested` waits
-- up to half an hour for CI to begin; `landed`, `conflict`, `test_failed` and `refused` end it. Work that does not
-- merge or fails its tests returns to its agent, twice; the third time a person is asked.
-- Refusals: 404, 403, 409 for a lease that was taken over, 422, 429. Definer: landings are written by functions only.
create function operations.report_landing(p_landing_id uuid, p_lease uuid, p_state text, p_head_sha text default null, p_words text default null)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_landing public.landings;
  v_words text := left(p_words, 10000);
begin
  select l.* into v_landing from public.landings l where l.id = p_landing_id;
  perform private.require_product_access(v_landing.product_id);
  perform private.take_rate_limit('landings', auth.uid()::text);
  perform private.lock_product(v_landing.product_id);
  perform private.require_product_write(v_landing.product_id);
  perform private.hear_worker(v_landing.product_id, case when p_state in ('landed', 'conflict', 'test_failed', 'refused') then
    jsonb_build_object('branch', v_landing.branch, 'state', p_state, 'head_sha', p_head_sha) end);
  select l.* into v_landing from public.landings l where l.id = p_landing_id;
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

comment on function operations.report_landing is 'How far a landing is (docs/forges.md).';
grant execute on function operations.report_landing to authenticated;
