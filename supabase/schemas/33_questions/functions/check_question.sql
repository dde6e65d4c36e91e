-- Why: what a question may be made of, said in words: text, at most 8 options with a label each, a recommended one among
-- them, an expiry from 1 minute to 30 days, a policy that can be carried out. Answers the options in one shape.
create function private.check_question(
  p_question text, p_options jsonb, p_recommended_option integer, p_expires_in_seconds integer,
  p_on_expiry text, p_escalate_to uuid, p_product_id uuid)
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_options jsonb;
begin
  if coalesce(char_length(p_question), 0) not between 1 and 4000 or p_question !~ '\S' then
    perform private.refuse(422, 'question takes 1 to 4000 characters.');
  end if;
  if jsonb_typeof(coalesce(p_options, '[]')) <> 'array' or jsonb_array_length(coalesce(p_options, '[]')) > 8 then
    perform private.refuse(422, 'options must be a list of at most 8, each { label, description? }.');
  end if;
  select coalesce(jsonb_agg(case jsonb_typeof(o.value)
      when 'string' then jsonb_build_object('label', o.value)
      else jsonb_strip_nulls(jsonb_build_object('label', o.value -> 'label', 'description', o.value -> 'description')) end
    order by o.ordinality), '[]')
  into v_options
  from jsonb_array_elements(coalesce(p_options, '[]')) with ordinality o;
  if exists (
    select from jsonb_array_elements(v_options) o
    where coalesce(char_length(o ->> 'label'), 0) not between 1 and 200 or coalesce(char_length(o ->> 'description'), 0) > 1000
  ) then
    perform private.refuse(422, 'Each option needs a label of 1 to 200 characters; its description takes at most 1000.');
  end if;
  if p_recommended_option not between 0 and jsonb_array_length(v_options) - 1 then
    perform private.refuse(422, 'recommended_option is the index of an option, from 0.');
  end if;
  if p_expires_in_seconds not between 60 and 2592000 then
    perform private.refuse(422, 'A question expires after 1 minute at the earliest and 30 days at the latest (expires_in_seconds 60 to 2592000).');
  end if;
  if p_on_expiry = 'RECOMMENDED' and p_recommended_option is null then
    perform private.refuse(422, 'on_expiry RECOMMENDED needs a recommended_option.');
  end if;
  if (p_on_expiry = 'ESCALATE') <> (p_escalate_to is not null) then
    perform private.refuse(422, 'on_expiry ESCALATE and escalate_to belong together.');
  end if;
  if p_escalate_to is not null and not exists (
    select from public.product_members m where m.product_id = p_product_id and m.user_id = p_escalate_to
  ) then
    perform private.refuse(422, 'escalate_to must be a member of the product.');
  end if;
  return v_options;
end;
$$;

comment on function private.check_question is 'Refuses what a question cannot be (specification: Agent question).';
