-- Why: a product's budgets that matter now: its own, those of open sprints and tasks and of unfinished runs; for a
-- given run or task, all that it falls under. Definer: access is checked first.
create function operations.get_budgets(
  p_product_id uuid, p_sprint_run_id uuid default null, p_sprint_id uuid default null, p_task_id uuid default null)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_settings public.budget_settings;
begin
  perform private.require_product_access(p_product_id);
  v_settings := private.budget_settings_of(p_product_id);
  return json_build_object('product_id', p_product_id,
    'may_set', private.may_set_budgets(p_product_id),
    'settings', to_jsonb(v_settings) - 'product_id',
    'budgets', (
      select coalesce(json_agg(private.budget_json(b) order by array_position(array['run', 'sprint', 'task', 'product'], b.scope),
        array_position(array['day', 'week', 'month'], b.period), b.unit, b.created_at), '[]')
      from public.budgets b
      where b.product_id = p_product_id
        and case b.scope
          when 'product' then true
          when 'run' then case
            when p_sprint_run_id is not null then b.sprint_run_id = p_sprint_run_id
            when p_sprint_id is not null then false
            when p_task_id is not null then exists (
              select from public.agent_jobs j join public.sprint_runs r on r.id = j.sprint_run_id
              where j.task_id = p_task_id and r.id = b.sprint_run_id and r.finished_at is null)
            else (select r.finished_at is null from public.sprint_runs r where r.id = b.sprint_run_id) end
          when 'sprint' then case
            when p_sprint_run_id is not null
              then b.sprint_id = (select r.sprint_id from public.sprint_runs r where r.id = p_sprint_run_id)
            when p_sprint_id is not null then b.sprint_id = p_sprint_id
            when p_task_id is not null then b.sprint_id = (
              select s.sprint_id from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_task_id)
            else (select s.status in ('PLANNED', 'ACTIVE', 'FAILED') from public.sprints s where s.id = b.sprint_id) end
          else case
            when p_sprint_run_id is not null then exists (
              select from public.agent_jobs j where j.sprint_run_id = p_sprint_run_id and j.task_id = b.task_id)
            when p_sprint_id is not null then exists (
              select from public.tasks t join public.stories s on s.id = t.story_id where t.id = b.task_id and s.sprint_id = p_sprint_id)
            when p_task_id is not null then b.task_id = p_task_id
            else (select t.status <> 'DONE' from public.tasks t where t.id = b.task_id) end
        end));
end;
$$;

comment on function operations.get_budgets is 'Budgets of a product with what is spent, reserved and left, and its settings for them.';
grant execute on function operations.get_budgets to authenticated;

-- Why: pages offer only what is allowed: budgets are set by the owner, in a session, in a product that is not archived.
create function private.may_set_budgets(p_product_id uuid)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select from public.product_members m
    join public.products p on p.id = m.product_id
    where m.product_id = p_product_id and m.user_id = auth.uid() and m.role = 'OWNER' and p.archived_at is null
  ) and not private.is_demo()
    and coalesce(nullif(current_setting('request.jwt.claims', true), '')::jsonb ? 'token_id', false) = false;
end;
$$;

comment on function private.may_set_budgets is 'Whether the caller may set the budgets of a product.';
