-- Why: all work from outside starts as a story in triage, in the PBI Intake, with its address. The text is data and
-- stored unchanged. Called under the product's lock, after private.known_item. Definer: users may not set where an item
-- comes from.
create function private.bring_item(p_product_id uuid, p_origin text, p_title text, p_text text, p_url text, p_external_id text)
returns json
language plpgsql
volatile
security definer
set search_path = ''
as $$
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

comment on function private.bring_item is 'A new item from outside, in triage.';

-- Why: every story has a PBI. Items from outside have a separate one until a person accepts them into another. Called
-- under the product's lock.
create function private.intake_pbi(p_product_id uuid)
returns uuid
language plpgsql
volatile
set search_path = ''
as $$
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

comment on function private.intake_pbi is 'The PBI of items from outside, made when it is first needed.';
