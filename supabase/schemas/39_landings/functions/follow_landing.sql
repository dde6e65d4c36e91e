-- Why: a landing follows CI of the merged state, and what people do with the pull request, as workers observe it.
-- Called under the product lock.
create function private.follow_landing(p_pull public.pulls, p_seen jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_landing public.landings;
begin
  select l.* into v_landing from public.landings l
  where l.product_id = p_pull.product_id and l.branch = p_pull.branch and l.finished_at is null;
  if v_landing.id is null then
    return;
  end if;
  if p_pull.state = 'merged' then
    perform private.end_landing(v_landing, 'landed', null);
  elsif p_pull.state = 'closed' then
    perform private.end_landing(v_landing, 'refused', format('Its pull request #%s was closed.', p_pull.number));
  elsif v_landing.state <> 'waiting_ci' then
    -- It waits for a word of CI.
    update public.landings l set lease_until = private.now()
    where l.id = v_landing.id and l.words is not null and p_pull.head_sha = l.ours_sha and p_pull.ci = 'passed' and l.lease_until > private.now();
  elsif p_pull.head_sha not in (v_landing.head_sha, v_landing.ours_sha) then
    perform private.end_landing(v_landing, 'refused', 'Somebody has pushed to it meanwhile.');
  elsif p_pull.head_sha = v_landing.head_sha and p_pull.ci = 'failed' then
    perform private.end_landing(v_landing, 'test_failed', private.ci_words(p_seen -> 'ci'));
  elsif p_pull.head_sha = v_landing.head_sha and p_pull.ci = 'passed' then
    update public.landings l set state = 'working', lease_until = private.now() where l.id = v_landing.id;
  end if;
end;
$$;

comment on function private.follow_landing is 'What a pull request says about the landing of its branch (docs/forges.md).';
