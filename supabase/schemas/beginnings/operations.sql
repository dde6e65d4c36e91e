-- A person discards the unmerged work of a story, or of all stories of a sprint: the next run begins from the main
-- branch. The branches stay; who, when and which heads is recorded. Not while a run already has work on the branch, as
-- that would continue. Refusals: 404, 403 (tokens, demo, archived), 409 (nothing to discard, an unfinished run), 422.
-- Definer: the trail is written by functions only (docs/worker.md).
create function operations.start_over(p_kind text, p_id uuid)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_kind text := lower(private.require_choice('kind', p_kind, array['STORY', 'SPRINT']));
  v_product_id uuid := private.require_write(v_kind, p_id);
  v_story_ids uuid[];
  v_left jsonb;
  v_busy text;
begin
  perform private.require_session('Only a person can discard work: sign in to start over from main.');
  v_story_ids := case v_kind when 'story' then array[p_id]
    else array(select s.id from public.stories s where s.sprint_id = p_id) end;
  v_left := private.beginnings(v_story_ids);
  if v_left = '[]' then
    perform private.refuse(409, 'There is nothing to discard: the next run already begins from main.');
  end if;
  v_busy := private.run_with_work(v_story_ids);
  if v_busy is not null then
    perform private.refuse(409, format('The run of %s has work of its own on this branch. Cancel it first, then start over.', v_busy));
  end if;

  insert into public.fresh_starts (product_id, story_id, left_branches, user_id, started_by)
  select v_product_id, (l ->> 'story_id')::uuid, jsonb_agg(jsonb_build_object('branch', l -> 'branch', 'head_sha', l -> 'head_sha')),
    auth.uid(), coalesce(private.username(auth.uid()), 'someone')
  from jsonb_array_elements(v_left) l
  group by 2;
  perform private.audit(auth.uid(), auth.uid(), 'story.started_over', jsonb_build_object('product_id', v_product_id,
    'stories', (select jsonb_agg(distinct l ->> 'story_code') from jsonb_array_elements(v_left) l), 'left', v_left));
  perform private.emit_part_change('story', l.id, 'begins_from')
  from (select distinct (e ->> 'story_id')::uuid as id from jsonb_array_elements(v_left) e) l;
  return json_build_object('left', v_left);
end;
$$;
grant execute on function operations.start_over to authenticated;

-- A run that has begun continues its own branch, so its stories cannot start over. Returns its work, or null.
create function private.run_with_work(p_story_ids uuid[])
returns text language plpgsql stable set search_path = '' as $$
begin
  return (
    select private.run_subject(r)
    from public.sprint_runs r
    where r.status in ('QUEUED', 'RUNNING', 'PAUSED')
      and r.product_id in (select s.product_id from public.stories s where s.id = any (p_story_ids))
      and case when r.sprint_id is null
        then exists (select from private.run_tasks(r.id) x join public.tasks t on t.id = x.task_id where t.story_id = any (p_story_ids))
        else r.sprint_id in (select s.sprint_id from public.stories s where s.id = any (p_story_ids)) end
      and exists (
        select from public.agent_jobs j
        where j.sprint_run_id = r.id
          and (r.pr_strategy <> 'STORY' or j.task_id in (select t.id from public.tasks t where t.story_id = any (p_story_ids)))
          and (j.status in ('CLAIMED', 'RUNNING') or j.pushed_at is not null
            or exists (select from public.task_executions e where e.sprint_run_id = r.id and e.status = 'DONE')))
    order by 1
    limit 1);
end;
$$;
