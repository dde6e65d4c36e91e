-- Without a code it gets the next PBI-<n>. The PBI comes last in its priority.
create function operations.create_pbi(
  p_product_id uuid, p_title text, p_description text default '', p_code text default null,
  p_priority integer default 3, p_refuse_similar boolean default false
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.require_write('product', p_product_id);
  if p_refuse_similar then
    perform private.refuse_similar('pbi', p_product_id, p_title);
  end if;

  insert into public.pbis (id, product_id, code, title, description, priority)
  values (v_id, p_product_id, p_code, p_title, coalesce(p_description, ''), coalesce(p_priority, 3));
  return (select row_to_json(b) from private.pbi_shape b where b.id = v_id);
end;
$$;
grant execute on function operations.create_pbi to authenticated;

-- Deletes the PBI with its stories and tasks (specification: PBI).
create function operations.delete_pbi(p_pbi_id uuid) returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_write('pbi', p_pbi_id);
  delete from public.pbis b where b.id = p_pbi_id;
  return json_build_object('id', p_pbi_id);
end;
$$;
grant execute on function operations.delete_pbi to authenticated;

-- Later calls keep the time of the first (specification: PBI).
create function operations.mark_pbi_pr_merged(p_pbi_id uuid)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_write('pbi', p_pbi_id);

  if exists (select from public.pbis b where b.id = p_pbi_id and b.pr_url is null) then
    perform private.refuse(409, 'This PBI has no pull request. Set its pr_url first.');
  end if;

  update public.pbis b set pr_merged_at = private.now() where b.id = p_pbi_id and b.pr_merged_at is null;
  return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
end;
$$;
grant execute on function operations.mark_pbi_pr_merged to authenticated;

-- Puts a PBI directly before or after another, in that one's priority; or, with only a priority, last in it. Inserts
-- between two floats; when none is left, that priority is renumbered first (specification: Ordering rules 4).
create function operations.move_pbi(
  p_pbi_id uuid, p_before_id uuid default null, p_after_id uuid default null, p_priority integer default null
) returns json language plpgsql volatile set search_path = '' as $$
declare
  v_anchor_id uuid := coalesce(p_before_id, p_after_id);
  v_product_id uuid := private.require_write('pbi', p_pbi_id);
  v_priority integer;
  v_place double precision;
begin
  if v_anchor_id = p_pbi_id or (p_before_id is not null and p_after_id is not null)
    or (v_anchor_id is null and p_priority is null) then
    perform private.refuse(422, 'Name one other PBI to go before or after, or a priority.',
      '{"issues":[{"path":"before_id","message":"Name exactly one other PBI, or a priority."}]}');
  end if;

  if v_anchor_id is null then
    update public.pbis b
    set priority = p_priority, sort_order = private.pbi_place(v_product_id, p_priority, b.id, null, false)
    where b.id = p_pbi_id;
    return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
  end if;

  select b.priority into v_priority from public.pbis b where b.id = v_anchor_id and b.product_id = v_product_id;
  if v_priority is null then
    perform private.refuse(404, 'No such PBI to go before or after in this product. Reload the backlog.');
  end if;

  v_place := private.pbi_place(v_product_id, v_priority, p_pbi_id, v_anchor_id, p_before_id is not null);
  if v_place is null then
    update public.pbis b
    set sort_order = n.place
    from (
      select o.id, row_number() over (order by o.sort_order, o.created_at, o.id) as place
      from public.pbis o
      where o.product_id = v_product_id and o.priority = v_priority and o.id <> p_pbi_id
    ) n
    where b.id = n.id and b.sort_order <> n.place;
    v_place := private.pbi_place(v_product_id, v_priority, p_pbi_id, v_anchor_id, p_before_id is not null);
  end if;

  update public.pbis b set priority = v_priority, sort_order = v_place where b.id = p_pbi_id;
  return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
end;
$$;
grant execute on function operations.move_pbi to authenticated;

-- The sort_order directly before or after the anchor, or last without one. Null when no float is left in between.
-- Only reads what the caller may read (specification: Ordering rules 4).
create function private.pbi_place(
  p_product_id uuid, p_priority integer, p_moved_id uuid, p_anchor_id uuid, p_before boolean
) returns double precision language plpgsql stable set search_path = '' as $$
declare
  v_lower double precision;
  v_upper double precision;
  v_place double precision;
begin
  if p_anchor_id is null then
    return (
      select coalesce(max(b.sort_order), 0) + 1 from public.pbis b
      where b.product_id = p_product_id and b.priority = p_priority and b.id <> p_moved_id
    );
  end if;

  select case when p_before then x.previous else x.place end, case when p_before then x.place else x.next end
  into v_lower, v_upper
  from (
    select b.id, b.sort_order as place, lag(b.sort_order) over w as previous, lead(b.sort_order) over w as next
    from public.pbis b
    where b.product_id = p_product_id and b.priority = p_priority and b.id <> p_moved_id
    window w as (order by b.sort_order, b.created_at, b.id)
  ) x
  where x.id = p_anchor_id;

  v_place := coalesce((v_lower + v_upper) / 2, v_lower + 1, v_upper - 1);
  if v_place <= v_lower or v_place >= v_upper then
    return null;
  end if;
  return v_place;
end;
$$;
grant execute on function private.pbi_place to authenticated;

-- A new address clears the time of the merge (specification: PBI).
create function operations.set_pbi_pr(p_pbi_id uuid, p_pr_url text)
returns json language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_write('pbi', p_pbi_id);
  update public.pbis b
  set pr_url = p_pr_url, pr_merged_at = case when b.pr_url = p_pr_url then b.pr_merged_at end
  where b.id = p_pbi_id;
  return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
end;
$$;
grant execute on function operations.set_pbi_pr to authenticated;

-- `p_changes` holds the fields to change: title, description, code, priority, and status: `blocked` (by hand) or
-- `ready` (lifts the block; the status is then derived from the stories). A new priority puts the PBI last in it
-- (specification: PBI).
create function operations.update_pbi(p_pbi_id uuid, p_changes jsonb)
returns json language plpgsql volatile set search_path = '' as $$
declare
  v_status text := upper(private.parse_choice('status', p_changes ->> 'status', '{ready,blocked}'));
  v_product_id uuid := private.require_write('pbi', p_pbi_id);
begin
  perform private.require_version('PBI', p_pbi_id, p_changes);
  update public.pbis b
  set title = coalesce(p_changes ->> 'title', b.title),
      description = coalesce(p_changes ->> 'description', b.description),
      code = coalesce(p_changes ->> 'code', b.code),
      status = case
        when v_status = 'BLOCKED' or (v_status = 'READY' and b.status = 'BLOCKED') then v_status::public.pbi_status
        else b.status
      end
  where b.id = p_pbi_id;

  update public.pbis b
  set priority = (p_changes ->> 'priority')::integer,
      sort_order = (
        select coalesce(max(o.sort_order), 0) + 1 from public.pbis o
        where o.product_id = v_product_id and o.priority = (p_changes ->> 'priority')::integer
      )
  where b.id = p_pbi_id and b.priority <> (p_changes ->> 'priority')::integer;
  return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
end;
$$;
grant execute on function operations.update_pbi to authenticated;
