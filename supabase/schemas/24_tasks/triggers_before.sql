create trigger _110_lock_products before insert or update or delete on public.tasks
  for each statement execute function private.tg_any__lock_products();

-- Why: a task always has the product_id of its story (specification: Task). It may move to another story of its
-- product, never to another product. Definer: the story may be hidden from the caller, whose write RLS then refuses.
create function private.tg_tasks__copy_product()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  new.product_id := private.product_of('story', new.story_id);

  if tg_op = 'UPDATE' and new.product_id <> old.product_id then
    raise exception using errcode = 'PT422', message = 'A task cannot move to a story of another product.',
      detail = '{"issues":[{"path":"story_id","message":"Choose a story of the same product."}]}';
  end if;

  return new;
end;
$$;

comment on function private.tg_tasks__copy_product is 'product_id of a task from its story (specification: Task).';

create trigger _120_copy_product before insert on public.tasks
  for each row execute function private.tg_tasks__copy_product();
create trigger _121_copy_product before update of story_id, product_id on public.tasks
  for each row when (new.story_id <> old.story_id or new.product_id <> old.product_id)
  execute function private.tg_tasks__copy_product();

create trigger _130_lock_product before insert or update or delete on public.tasks
  for each row execute function private.tg_any__lock_product();

create trigger _140_take_rate_limit before insert on public.tasks
  for each row execute function private.tg_any__take_rate_limit('task');

create trigger _150_assign_code before insert on public.tasks
  for each row execute function private.tg_any__assign_code('task');

create trigger _151_assign_code before update of code on public.tasks
  for each row when (new.code is distinct from old.code) execute function private.tg_any__assign_code('task');

-- Why: a batch has one job for all tasks of its run, and it names one of them. When that task is deleted, the job names
-- the next unfinished task, else another of its run, and keeps its tokens and cost; only the last task deletes it too.
-- While the product itself is deleted, no task is left to name. Definer: the caller may not write jobs.
create function private.tg_tasks__keep_batch_job()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if exists (select from public.products p where p.id = old.product_id) then
    update public.agent_jobs j
    set task_id = (
      select e.task_id from public.task_executions e
      where e.sprint_run_id = j.sprint_run_id and e.task_id <> old.id
      order by (e.status = 'RUNNING') desc, (e.status = 'PENDING') desc, e.position
      limit 1)
    where j.task_id = old.id and j.kind = 'SPRINT_IMPLEMENTATION'
      and exists (
        select from public.task_executions e where e.sprint_run_id = j.sprint_run_id and e.task_id <> old.id);
  end if;
  return old;
end;
$$;

comment on function private.tg_tasks__keep_batch_job is
  'A batch job outlives the task that it names (specification: Agent job, task_id; Sprint run).';

create trigger _160_keep_batch_job
before delete on public.tasks
for each row execute function private.tg_tasks__keep_batch_job();

create trigger _200_sort_order before insert on public.tasks
  for each row execute function private.tg_any__sort_order();

create trigger _201_sort_order before update of code, sort_order on public.tasks
  for each row when (new.code <> old.code or new.sort_order <> old.sort_order)
  execute function private.tg_any__sort_order();

-- Why: a task's own repository is code that workers may be asked to run, so the person who decides sees who set it.
create function private.tg_tasks__repo_url_by()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.repo_url_by := case when new.repo_url is not null then auth.uid() end;
  return new;
end;
$$;

comment on function private.tg_tasks__repo_url_by is 'Keeps who wrote the repository of a task (specification: Task).';

create trigger _300_repo_url_by before insert on public.tasks
  for each row when (new.repo_url is not null) execute function private.tg_tasks__repo_url_by();

create trigger _301_repo_url_by before update of repo_url on public.tasks
  for each row when (new.repo_url is distinct from old.repo_url) execute function private.tg_tasks__repo_url_by();

create trigger _400_touch before update on public.tasks
  for each row execute function private.tg_any__touch();
