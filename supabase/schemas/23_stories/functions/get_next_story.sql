-- Why: hot read of agents. Definer, so that row level security is not checked for each table; access is checked first.
-- Without an active sprint or an open story: PT404.
-- Called by GET /api/products/:id/next-story. The answer is passed through unparsed.
create function operations.get_next_story(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_sprint_id uuid;
  v_story_id uuid;
begin
  perform private.require_product_access(p_product_id);

  select s.id into v_sprint_id from public.sprints s where s.product_id = p_product_id and s.status = 'ACTIVE';
  if v_sprint_id is null then
    raise exception using errcode = 'PT404', message = 'This product has no active sprint. Start one first.';
  end if;

  v_story_id := private.first_open_story(p_product_id, v_sprint_id);
  if v_story_id is null then
    raise exception using errcode = 'PT404', message = 'The active sprint has no open story. Add stories to it, or complete it.';
  end if;

  return (
    select row_to_json(x)
    from (
      select
        s.id, s.code, s.title, s.description, s.acceptance_criteria, lower(s.status::text) as status,
        private.agent_tasks(s.id) as tasks
      from public.stories s
      where s.id = v_story_id
    ) x
  );
end;
$$;

comment on function operations.get_next_story is
  'First open story of the active sprint, or PT404 (specification: GET /api/products/:id/next-story).';
grant execute on function operations.get_next_story to authenticated;
