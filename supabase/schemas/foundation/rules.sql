-- Why: updated_at is the time of a row's last change, on every path.
create function private.tg_any__touch() returns trigger language plpgsql set search_path = '' as $$
begin
  new.updated_at := private.now();
  return new;
end;
$$;

-- Why: all rules about time use this clock, so that tests can set it (`backloom.now`, which no API client can set) and
-- a transaction that waited does not decide by the stale time of its start (specification: States and transitions,
-- Limits). Stable, although the clock moves: a volatile one would keep indexes on times from being used, and views
-- that read it from becoming part of their query (private.job_gates; each claim would look at every job).
create function private.now() returns timestamptz language plpgsql stable set search_path = '' as $$
begin
  return coalesce(nullif(current_setting('backloom.now', true), '')::timestamptz, clock_timestamp());
end;
$$;
grant execute on function private.now to authenticated, service_role;

-- Why: every refusal has the same form: SQLSTATE PT<status>, a sentence that says what to do, and optional JSON for
-- programs (specification: Errors).
create function private.refuse(p_status integer, p_message text, p_detail jsonb default null)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if p_detail is null then
    raise exception using errcode = 'PT' || p_status, message = p_message;
  end if;
  raise exception using errcode = 'PT' || p_status, message = p_message, detail = p_detail::text;
end;
$$;
grant execute on function private.refuse to authenticated, service_role;

-- Why: every operation refuses an unknown id in the same words. The service passes a malformed one as an id that no row
-- has (specification: Errors).
create function private.refuse_unknown(p_kind text) returns void language plpgsql volatile set search_path = '' as $$
begin
  perform private.refuse(404, format('No such %s. %s', case p_kind when 'pbi' then 'PBI' else p_kind end, case p_kind
    when 'product' then 'List products to see yours.'
    when 'agent job' then 'Check the ID: failed and cancelled jobs are deleted after seven days.'
    else 'Check the ID: it may have been deleted.' end));
end;
$$;
grant execute on function private.refuse_unknown to authenticated, service_role;

-- Why: turns a value from outside, in any case, into one of the contract's words, or refuses with a 422 that lists
-- them. Null stays null (specification: Errors).
create function private.require_choice(p_field text, p_value text, p_choices text[])
returns text language plpgsql volatile set search_path = '' as $$
begin
  if p_value is null or upper(p_value) = any (p_choices) then
    return upper(p_value);
  end if;
  perform private.refuse(422, format('%s must be one of %s.', p_field, lower(array_to_string(p_choices, ', '))),
    jsonb_build_object('issues', jsonb_build_array(
      jsonb_build_object('path', p_field, 'message', format('Not one of %s', lower(array_to_string(p_choices, ', '))))
    )));
  return null;
end;
$$;

-- Why: a link shown on a page must be http or https, never a script. Null stays null (specification: Errors).
create function private.require_link(p_field text, p_value text)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if p_value !~ '^https?://[^[:space:]]+$' or char_length(p_value) > 2000 then
    perform private.refuse(422, format('%s must be an http or https address of at most 2000 characters.', p_field),
      jsonb_build_object('issues', jsonb_build_array(
        jsonb_build_object('path', p_field, 'message', 'Must be an http or https address.'))));
  end if;
end;
$$;
