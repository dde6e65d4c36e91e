-- Why: the new story has everything that was planned in the template: texts, labels, tasks with their plans, order among them and budgets. It joins the
-- active sprint, or else the backlog. Called by fire_recurrence under the product's lock.
create function private.copy_template(p_template_id uuid)
returns uuid
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
  v_copies jsonb;
begin
  insert into public.stories (id, pbi_id, title, description, acceptance_criteria, priority, assignee_id, label_ids, template_id, sprint_id)
  select v_id, s.pbi_id, s.title, s.description, s.acceptance_criteria, s.priority, s.assignee_id, s.label_ids, s.id,
    (select p.id from public.sprints p where p.product_id = s.product_id and p.status = 'ACTIVE')
  from public.stories s where s.id = p_template_id;

  v_copies := (
    select coalesce(jsonb_object_agg(t.id, gen_random_uuid()), '{}') from public.tasks t where t.story_id = p_template_id);
  insert into public.tasks (id, story_id, title, description, implementation_plan, priority, repo_url, verify_only, verify_required,
    requires_opus, estimated_minutes, label_ids)
  select (v_copies ->> t.id::text)::uuid, v_id, t.title, t.description, t.implementation_plan, t.priority, t.repo_url, t.verify_only, t.verify_required,
    t.requires_opus, t.estimated_minutes, t.label_ids
  from public.tasks t
  where t.story_id = p_template_id
  order by t.sort_order, t.created_at, t.id;
  -- The repository of a task counts for whoever named it, and here that was not the service.
  update public.tasks c set repo_url_by = t.repo_url_by
  from public.tasks t
  where t.story_id = p_template_id and t.repo_url_by is not null and c.id = (v_copies ->> t.id::text)::uuid;
  insert into public.task_dependencies (blocked_id, blocker_id, product_id, created_by)
  select (v_copies ->> d.blocked_id::text)::uuid, coalesce((v_copies ->> d.blocker_id::text)::uuid, d.blocker_id), d.product_id, d.created_by
  from public.task_dependencies d
  where v_copies ? d.blocked_id::text;
  insert into public.budgets (product_id, scope, task_id, unit, amount, created_by)
  select b.product_id, 'task', (v_copies ->> b.task_id::text)::uuid, b.unit, b.amount, b.created_by
  from public.budgets b
  where v_copies ? b.task_id::text;
  return v_id;
end;
$$;

comment on function private.copy_template is 'A new story as its template says.';
