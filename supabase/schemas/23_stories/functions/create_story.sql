-- Called by the backlog page and tools. Without a code it gets the next ST-<nnn>. A story created with a token starts
-- in triage if its product wants that, and then joins no sprint.
create function operations.create_story(
  p_pbi_id uuid,
  p_title text,
  p_description text default '',
  p_acceptance_criteria text default '',
  p_code text default null,
  p_priority integer default 3,
  p_sprint_id uuid default null,
  p_assignee_id uuid default null,
  p_blocked_by jsonb default null,
  p_labels jsonb default null,
  p_refuse_similar boolean default false
)
returns json
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
  v_product_id uuid := private.require_write('pbi', p_pbi_id);
  v_in_triage boolean := private.is_token()
    and (select p.agent_items = 'triage' from public.products p where p.id = v_product_id);
begin
  if p_sprint_id is not null then
    perform private.require_access('sprint', p_sprint_id);
  end if;
  perform private.require_assignee(v_product_id, p_assignee_id);
  if p_refuse_similar then
    perform private.refuse_similar('story', p_pbi_id, p_title);
  end if;

  insert into public.stories
    (id, pbi_id, code, title, description, acceptance_criteria, priority, sprint_id, assignee_id, label_ids, in_triage)
  values
    (v_id, p_pbi_id, p_code, p_title, coalesce(p_description, ''), coalesce(p_acceptance_criteria, ''),
      coalesce(p_priority, 3), case when not v_in_triage then p_sprint_id end, p_assignee_id,
      coalesce(private.require_labels(v_product_id, p_labels), '{}'), v_in_triage);
  perform private.add_dependencies('story', v_id, p_blocked_by);
  return private.story_json(v_id);
end;
$$;

comment on function operations.create_story is 'Creates a story (specification: Story, Entity codes). 60 per minute.';
grant execute on function operations.create_story to authenticated;
