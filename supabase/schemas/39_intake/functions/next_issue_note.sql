-- Why: a worker asks what to write under an issue of its repository. One worker has a note at a time; when its lease
-- expires, another takes over, and looks for the mark first: the comment may already exist.
-- Refusals: 404, 403, 429. Definer: notes are written by functions only.
create function operations.next_issue_note(p_product_id uuid, p_worker text, p_project text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_due record;
  v_note public.issue_notes;
begin
  perform private.require_product_access(p_product_id);
  perform private.take_rate_limit('issue_notes', auth.uid()::text);
  perform private.lock_product(p_product_id);
  perform private.require_product_write(p_product_id);
  perform private.hear_worker(p_product_id);
  select d.* into v_due from private.due_issue_notes(p_product_id) d
  where position(lower('/' || p_project || '/') in lower(d.url)) > 0 and private.is_own_address(p_product_id, d.url)
  limit 1;
  if v_due.url is null then
    return json_build_object('note', null);
  end if;
  insert into public.issue_notes as n (product_id, url, deed, worker, lease_until)
  values (p_product_id, v_due.url, v_due.deed, left(p_worker, 200), private.now() + interval '5 minutes')
  on conflict on constraint issue_notes_once do update
  set worker = excluded.worker, lease = gen_random_uuid(), lease_until = excluded.lease_until
  returning n.* into v_note;
  return json_build_object('note', json_build_object('id', v_note.id, 'lease', v_note.lease, 'deed', v_note.deed, 'url', v_note.url,
    'number', substring(v_note.url from '(\d{1,9})/?$')::integer, 'text', private.done_words(v_due.story_id), 'mark', v_due.story_id));
end;
$$;

comment on function operations.next_issue_note is 'What a worker writes under an issue next (docs/forges.md).';
grant execute on function operations.next_issue_note to authenticated;

-- Why: an issue whose item is done gets a comment, and is closed when all of the item's work has landed. A merged item
-- is done with the story it was merged into. Nothing is written while the product has no label.
create function private.due_issue_notes(p_product_id uuid)
returns table (url text, deed text, story_id uuid)
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
    with issues as (
      select s.id, s.external_url as url from public.stories s
      where s.product_id = p_product_id and s.origin = 'forge' and not s.in_triage
      union all
      select i.merged_into, i.external_id from public.settled_items i
      where i.product_id = p_product_id and i.merged_into is not null
    ), done as (
      select i.url, s.id, c.state as comment_state, c.lease_until as comment_lease
      from issues i
      join public.stories s on s.id = i.id and s.status = 'DONE'
      left join public.issue_notes c on c.product_id = p_product_id and c.url = i.url and c.deed = 'comment'
      where i.url ~ '\d{1,9}/?$'
        and exists (select from public.products p where p.id = p_product_id and p.archived_at is null and p.forge_issue_label <> '')
    )
    select d.url, 'comment', d.id from done d
    where d.comment_state is null or d.comment_state = 'working' and d.comment_lease <= private.now()
    union all
    select d.url, 'close', d.id
    from done d
    left join public.issue_notes x on x.product_id = p_product_id and x.url = d.url and x.deed = 'close'
    where d.comment_state <> 'working' and (x.state is null or x.state = 'working' and x.lease_until <= private.now())
      and private.has_landed(d.id);
end;
$$;

comment on function private.due_issue_notes is 'What is to be written under issues and nobody is writing (docs/forges.md).';

create function private.has_landed(p_story_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (select from private.jobs_of_story(p_story_id) j where j.merged_at is not null)
    and not exists (select from private.unlanded_work(array[p_story_id]));
end;
$$;

comment on function private.has_landed is 'Whether agents worked on a story, and all of it is on the main branch.';

create function private.jobs_of_story(p_story_id uuid)
returns setof private.works
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
    select j.* from public.tasks t join private.works j on j.task_id = t.id and j.kind = 'TASK_IMPLEMENTATION'
    where t.story_id = p_story_id
    union all
    select j.* from (
      select distinct e.sprint_run_id from public.tasks t join public.task_executions e on e.task_id = t.id
      where t.story_id = p_story_id
    ) r
    join private.works j on j.sprint_run_id = r.sprint_run_id and j.kind = 'SPRINT_IMPLEMENTATION';
end;
$$;

comment on function private.jobs_of_story is 'The jobs that implemented tasks of a story, batches included.';

-- Why: readers of the issue may not be members, so it names only the code and addresses at the code host, no text of
-- the backlog.
create function private.done_words(p_story_id uuid)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select format('Done (%s)', s.code) || coalesce(': ' || (
      select string_agg(x.url, ', ' order by x.number)
      from (
        select distinct p.url, p.number
        from private.jobs_of_story(p_story_id) j
        join public.pulls p on p.product_id = j.product_id and p.branch = j.branch and p.state <> 'closed'
        order by p.number desc limit 5
      ) x), '') || '.'
    from public.stories s where s.id = p_story_id);
end;
$$;

comment on function private.done_words is 'The comment on an issue whose work is done.';
