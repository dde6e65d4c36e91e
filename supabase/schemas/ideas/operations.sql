-- Sets a flag and keeps the status. Idempotent (specification: Idea).
create function operations.archive_idea(p_idea_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_idea_write(p_idea_id);
  update public.ideas i set archived_at = private.now() where i.id = p_idea_id and i.archived_at is null;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$$;
grant execute on function operations.archive_idea to authenticated;

-- Gets its user's next IDEA-<nnn>.
create function operations.create_idea(
  p_product_id uuid, p_title text, p_description text default '', p_refuse_similar boolean default false
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_access('product', p_product_id);
  perform private.require_product_write(p_product_id);
  if p_refuse_similar then
    perform private.lock_product(p_product_id);
    perform private.refuse_similar('idea', p_product_id, p_title);
  end if;
  insert into public.ideas (id, product_id, title, description)
  values (v_id, p_product_id, p_title, coalesce(p_description, ''));
  return (select row_to_json(i) from private.idea_shape i where i.id = v_id);
end;
$$;
grant execute on function operations.create_idea to authenticated;

-- Does nothing for the idea's own product. Idempotent (specification: Idea).
create function operations.link_idea_product(p_idea_id uuid, p_product_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_idea_write(p_idea_id);
  perform private.require_access('product', p_product_id);
  perform private.require_product_write(p_product_id);

  insert into public.idea_products (idea_id, product_id)
  select i.id, p_product_id from public.ideas i where i.id = p_idea_id and i.product_id <> p_product_id
  on conflict (idea_id, product_id) do nothing;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$$;
grant execute on function operations.link_idea_product to authenticated;

-- Promotion creates the PBI and plans the idea in one transaction, linked both ways. Definer, because no one writes
-- those links directly; ownership, access, lock, demo and archive are checked first. By default the PBI takes the
-- idea's title, description and product (specification: States and transitions, Idea).
create function operations.promote_idea(
  p_idea_id uuid, p_product_id uuid default null, p_title text default null, p_description text default null,
  p_code text default null, p_priority integer default 3
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_product_id uuid := coalesce(p_product_id, private.require_idea_write(p_idea_id));
  v_idea public.ideas;
  v_pbi_id uuid := gen_random_uuid();
begin
  perform private.require_idea_write(p_idea_id);
  perform private.require_write('product', v_product_id);
  select i.* into v_idea from public.ideas i where i.id = p_idea_id for update;

  if v_idea.status = 'PLANNED' then
    perform private.refuse(409, format('Idea %s was already promoted. Continue with %s.',
      v_idea.code, coalesce((select b.code from public.pbis b where b.idea_id = p_idea_id limit 1), 'another idea')));
  end if;
  if v_idea.archived_at is not null then
    perform private.refuse(409, format('Idea %s is archived. Restore it first.', v_idea.code));
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
grant execute on function operations.promote_idea to authenticated;

-- Clears the archive flag (specification: Idea).
create function operations.restore_idea(p_idea_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_idea_write(p_idea_id);
  update public.ideas i set archived_at = null where i.id = p_idea_id and i.archived_at is not null;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$$;
grant execute on function operations.restore_idea to authenticated;

-- Idempotent. A product the user has left can be unlinked, an archived one cannot (specification: Idea).
create function operations.unlink_idea_product(p_idea_id uuid, p_product_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_idea_write(p_idea_id);
  if p_product_id in (select private.accessible_product_ids()) then
    perform private.require_product_write(p_product_id);
  end if;
  delete from public.idea_products l where l.idea_id = p_idea_id and l.product_id = p_product_id;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$$;
grant execute on function operations.unlink_idea_product to authenticated;

-- `p_changes` holds the fields to change: title, description, product_id, and status, which only moves forward
-- (draft, discussing, ready; planned only by promotion) (specification: Idea).
create function operations.update_idea(p_idea_id uuid, p_changes jsonb)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_status text := upper(private.parse_choice('status', p_changes ->> 'status', '{draft,discussing,ready,planned}'));
  v_new_product_id uuid := (p_changes ->> 'product_id')::uuid;
begin
  perform private.require_idea_write(p_idea_id);
  if p_changes ? 'expected_version' then
    -- No product is locked for an idea: its own row is.
    perform from public.ideas i where i.id = p_idea_id for update;
    perform private.require_version('idea', p_idea_id, p_changes);
  end if;
  if v_new_product_id is not null then
    perform private.require_product_access(v_new_product_id);
    perform private.require_product_write(v_new_product_id);
  end if;

  update public.ideas i
  set title = coalesce(p_changes ->> 'title', i.title),
      description = coalesce(p_changes ->> 'description', i.description),
      product_id = coalesce(v_new_product_id, i.product_id),
      status = coalesce(v_status::public.idea_status, i.status)
  where i.id = p_idea_id;
  return (select row_to_json(i) from private.idea_shape i where i.id = p_idea_id);
end;
$$;
grant execute on function operations.update_idea to authenticated;

-- The first line of every write to an idea: the caller's own (404, 403), not of an archived product. A user who
-- has left its product can still move, archive or edit it (specification: Idea).
create function private.require_idea_write(p_idea_id uuid)
returns uuid language plpgsql volatile set search_path = '' as $$
declare
  v_product_id uuid := private.require_own_idea(p_idea_id);
begin
  if v_product_id in (select private.accessible_product_ids()) then
    perform private.require_product_write(v_product_id);
  else
    perform private.require_no_demo();
  end if;
  return v_product_id;
end;
$$;
grant execute on function private.require_idea_write to authenticated;
