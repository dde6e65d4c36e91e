-- Why: promotion creates the PBI and plans the idea in one transaction, linked both ways. Definer, because nobody
-- writes those links directly; ownership, access, lock, demo and archive are checked first. By default the PBI takes
-- the idea's title, description and product.
-- Called by the ideas pages and tools, from any state before planned.
create function operations.promote_idea(
  p_idea_id uuid,
  p_product_id uuid default null,
  p_title text default null,
  p_description text default null,
  p_code text default null,
  p_priority integer default 3
)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  v_product_id uuid := coalesce(p_product_id, private.require_idea_write(p_idea_id));
  v_idea public.ideas;
  v_pbi_id uuid := gen_random_uuid();
begin
  perform private.require_idea_write(p_idea_id);
  perform private.require_write('product', v_product_id);
  select i.* into v_idea from public.ideas i where i.id = p_idea_id for update;

  if v_idea.status = 'PLANNED' then
    raise exception using errcode = 'PT409', message = format('Idea %s was already promoted. Continue with %s.', v_idea.code,
      coalesce((select b.code from public.pbis b where b.idea_id = p_idea_id limit 1), 'another idea'));
  end if;
  if v_idea.archived_at is not null then
    raise exception using errcode = 'PT409', message = format('Idea %s is archived. Restore it first.', v_idea.code);
  end if;

  insert into public.pbis (id, product_id, code, title, description, priority, idea_id)
  values (v_pbi_id, v_product_id, p_code, coalesce(p_title, v_idea.title), coalesce(p_description, v_idea.description),
    coalesce(p_priority, 3), p_idea_id);
  update public.ideas i set status = 'PLANNED', pbi_id = v_pbi_id where i.id = p_idea_id;

  return json_build_object(
    'idea', (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id),
    'pbi', (select row_to_json(b) from private.pbi_shape b where b.id = v_pbi_id)
  );
end;
$$;

comment on function operations.promote_idea is
  'Makes a PBI of an idea, atomically (specification: States and transitions, Idea).';
grant execute on function operations.promote_idea to authenticated;
