-- Why: the one place that says whether a run waits only for people: nobody works, nothing can be claimed, and reviews or
-- answers are open. Returns how many of each, else null. What a page calls such a run follows from this.
-- Definer: a question for somebody else is hidden from the caller, and is waited for all the same.
create function private.run_waits(p_run public.sprint_runs)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v record;
begin
  if p_run.status not in ('QUEUED', 'RUNNING') then
    return null;
  end if;
  select count(*) filter (where j.phase = 'review' and p.done_requires <> 'ci') as reviews,
    count(*) filter (where q.status = 'OPEN') as answers,
    count(*) filter (where j.status <> 'QUEUED' or (j.phase <> 'review' and j.in_turn and j.open_blockers = 0 and q.status is distinct from 'OPEN')) as moving
  into v
  from public.agent_jobs j
  join public.products p on p.id = j.product_id
  left join public.agent_questions q on q.id = j.parked_question_id
  where j.sprint_run_id = p_run.id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING');
  return case when v.moving = 0 and v.reviews + v.answers > 0 then jsonb_build_object('reviews', v.reviews, 'answers', v.answers) end;
end;
$$;

comment on function private.run_waits is 'What a run waits for from people, when for nothing else (docs/users.md).';

grant execute on function private.run_waits to authenticated;
