-- Whether somebody is registered can be asked ten times an hour in vain, and then not at all; plans may name files in any script.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.add_product_member(p_product_id uuid, p_identifier text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user_id uuid;
begin
  perform private.require_write('product', p_product_id);
  perform private.require_product_owner(p_product_id);
  perform private.take_rate_limit('member', auth.uid()::text);
  perform private.take_rate_limit('member_lookup', auth.uid()::text);

  select u.id
  into v_user_id
  from public.users u
  where lower(u.username) = lower(trim(p_identifier)) or lower(u.email) = lower(trim(p_identifier))
  order by lower(u.username) = lower(trim(p_identifier)) desc
  limit 1;

  if v_user_id is null then
    return json_build_object('refused', json_build_object('code', 422,
      'error', 'Nobody here has this user name or e-mail address. Ask them to register first.',
      'issues', json_build_array(json_build_object('path', 'identifier', 'message', 'No account has this user name or e-mail address.'))));
  end if;
  perform public.give_back_limit('member_lookup', auth.uid()::text);

  if exists (select from public.product_members m where m.product_id = p_product_id and m.user_id = v_user_id) then
    raise exception using errcode = 'PT409', message = 'This person already is in the product.';
  end if;

  insert into public.product_members (product_id, user_id) values (p_product_id, v_user_id);
  return json_build_object('user_id', v_user_id, 'username', private.username(v_user_id), 'role', 'MEMBER');
end;
$function$;

CREATE OR REPLACE FUNCTION private.classify_diff(p_plan text, p_changed_files jsonb)
 RETURNS public.verify_result
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_named integer;
  v_changed integer;
begin
  if p_changed_files is null then
    return null;
  end if;
  if jsonb_array_length(p_changed_files) = 0 then
    return 'EMPTY';
  end if;

  select count(*), count(*) filter (where exists (
    select from jsonb_array_elements_text(p_changed_files) f
    where f = n.path or f like '%/' || replace(replace(n.path, '%', '\%'), '_', '\_')
  ))
  into v_named, v_changed
  from (
    select distinct ltrim(m[1], './') as path
    from regexp_matches(left(coalesce(p_plan, ''), 100000), '([A-Za-z0-9_./\u00c0-\u1fff\u2c00-\u2dff\u3040-\ud7ff-]*[A-Za-z0-9_\u00c0-\u1fff\u2c00-\u2dff\u3040-\ud7ff-]\.[A-Za-z][A-Za-z0-9]{0,5})(?![A-Za-z0-9])', 'g') m
    where m[1] !~ '^(e\.g|i\.e)$'
  ) n;

  return case when v_named = 0 then 'PARTIAL' when v_changed = v_named then 'ALIGNED'
    when v_changed > 0 then 'PARTIAL' else 'DIVERGENT' end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.rate_limit(p_action text, OUT p_max integer, OUT p_seconds integer)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  select l.max_count, l.seconds
  into p_max, p_seconds
  from (
    values
      -- per client address (login also the failed tries of an account, or of a browser it was signed in on)
      ('login', 10, 60),
      ('registration', 5, 3600),
      ('recovery', 5, 3600),
      ('pair_start', 10, 60),
      -- per user
      ('product', 5, 60),
      ('member', 30, 60),
      ('member_lookup', 10, 3600),
      ('pbi', 30, 60),
      ('story', 60, 60),
      ('task', 100, 60),
      ('sprint', 10, 60),
      ('idea', 60, 60),
      ('story_log', 120, 60),
      ('answer', 60, 60),
      ('question', 60, 60),
      ('enqueue', 30, 60),
      ('api_token', 10, 3600),
      ('password', 10, 3600),
      ('pair_secret', 20, 3600),
      ('avatar', 10, 60),
      ('push_subscription', 20, 60),
      ('webhook', 10, 60),
      -- per job
      ('job_output', 240, 60)
  ) as l (action, max_count, seconds)
  where l.action = p_action;

  if not found then
    raise exception 'There is no rate limit named %', p_action;
  end if;
end;
$function$;
