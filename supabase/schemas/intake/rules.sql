-- All work from outside starts as a story in triage, in the PBI Intake, with its address. The text is stored unchanged.
-- Called under the product lock, after private.known_item. Definer: users may not set where an item comes from.
create function private.bring_item(
  p_product_id uuid, p_origin text, p_title text, p_text text, p_url text, p_external_id text
) returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_id uuid := gen_random_uuid();
  v_claims text := current_setting('request.jwt.claims', true);
begin
  -- The limits on what a person creates are not for what comes from outside.
  perform set_config('request.jwt.claims', '', true);
  insert into public.stories (id, pbi_id, title, description, in_triage, origin, external_id, external_url)
  values (v_id, private.intake_pbi(p_product_id), p_title, coalesce(p_text, ''), true, p_origin, p_external_id, p_url);
  perform set_config('request.jwt.claims', coalesce(v_claims, ''), true);
  return (
    select json_build_object('id', s.id, 'code', s.code, 'status', 'triage', 'is_new', true) from public.stories s where s.id = v_id);
end;
$$;

-- The PBI of items from outside, until a person accepts them into another. Called under the product lock.
create function private.intake_pbi(p_product_id uuid) returns uuid language plpgsql volatile set search_path = '' as $$
declare
  v_id uuid;
begin
  select b.id into v_id from public.pbis b where b.product_id = p_product_id and b.is_intake;
  if v_id is null then
    insert into public.pbis (product_id, title, description, is_intake)
    values (p_product_id, 'Intake', 'Items of other services begin here. Accepting one in Triage can move it to another PBI.', true)
    returning id into v_id;
  end if;
  return v_id;
end;
$$;

-- A known item's story, or what a person did with it. Null for a new one. Definer: senders may not read settled ones.
create function private.known_item(p_product_id uuid, p_external_id text)
returns json language plpgsql volatile security definer set search_path = '' as $$
begin
  return (
    select json_build_object('id', x.id, 'code', x.code, 'status', x.status, 'is_new', false)
    from (
      select s.id, s.code, lower(s.status::text) as status, 1 as place
      from public.stories s where s.product_id = p_product_id and s.external_id = p_external_id
      union all
      select i.story_id, i.code, i.outcome, 2
      from public.settled_items i where i.product_id = p_product_id and i.external_id = p_external_id
    ) x
    order by x.place
    limit 1);
end;
$$;

-- A declined or merged item stays so when it is sent again. Definer: no one writes these; callers have checked access.
create function private.settle_item(p_story_id uuid, p_outcome text, p_into uuid default null)
returns void language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into public.settled_items (product_id, external_id, story_id, code, outcome, merged_into)
  select s.product_id, s.external_id, s.id, s.code, p_outcome, case when s.origin = 'forge' then p_into end
  from public.stories s
  where s.id = p_story_id and s.in_triage and s.external_id is not null and s.origin is not null
    and s.product_id in (select private.writable_product_ids())
  on conflict (product_id, external_id) do update
  set story_id = excluded.story_id, code = excluded.code, outcome = excluded.outcome,
      merged_into = excluded.merged_into, settled_at = private.now();
end;
$$;
grant execute on function private.settle_item to authenticated;
