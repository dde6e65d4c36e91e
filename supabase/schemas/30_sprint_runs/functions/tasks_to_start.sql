-- Why: the one place that decides which tasks a start takes, whatever starts, resumes or retries: those that are neither
-- done nor waiting for a review. What waits for a review is done as far as agents go; doing it again would pay twice and
-- change the work under its reviewer.
create function private.tasks_to_start(p_task_ids uuid[])
returns uuid[]
language plpgsql
stable
set search_path = ''
as $$
begin
  return array(
    select t.id
    from unnest(p_task_ids) i (id)
    -- Task by task: a plan for many would read all tasks of all products.
    cross join lateral (select k.id, k.status from public.tasks k where k.id = i.id offset 0) t
    where t.status not in ('DONE', 'REVIEW'));
end;
$$;

comment on function private.tasks_to_start is 'The tasks that a start takes (specification: Starting a sprint run 2).';
