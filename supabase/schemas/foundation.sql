-- Imports and copies write every column that their rows name, so a new column needs no line there. All rows have
-- the keys of the first one; keys without a column are skipped. The caller's own grants apply.
create function private.insert_rows(p_table regclass, p_rows jsonb)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_columns text := (
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_catalog.pg_attribute a
    where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and p_rows -> 0 ? a.attname);
begin
  if v_columns is not null then
    execute format('insert into %1$s (%2$s) select %2$s from jsonb_populate_recordset(null::%1$s, $1)', p_table, v_columns) using p_rows;
  end if;
end;
$$;
grant execute on function private.insert_rows to authenticated, service_role;

-- An edit and an undo set the columns that they name, so a new column needs no line there. Null means no change
-- for a column that is never null. The caller's own grants apply: what they may not update is passed over.
create function private.set_fields(p_table regclass, p_id uuid, p_fields jsonb)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_columns text := (
    select string_agg(format('%1$I = n.%1$I', a.attname), ', ' order by a.attnum) from pg_catalog.pg_attribute a
    where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and p_fields ? a.attname
      and not (a.attnotnull and p_fields -> a.attname = 'null')
      and has_column_privilege(a.attrelid, a.attnum, 'update'));
begin
  if v_columns is not null then
    execute format('update %1$s t set %2$s from jsonb_populate_record(null::%1$s, $1) n where t.id = $2', p_table, v_columns) using p_fields, p_id;
  end if;
end;
$$;
grant execute on function private.set_fields to authenticated, service_role;

-- updated_at is the time of a row's last change, on every path.
create function private.tg_any__touch() returns trigger language plpgsql set search_path = '' as $$
begin
  new.updated_at := private.now();
  return new;
end;
$$;

-- Letters of titles have one form on every path, so that searches find them: a Mac's file names have another.
create function private.tg_any__compose_title() returns trigger language plpgsql set search_path = '' as $$
begin
  new.title := normalize(new.title, nfc);
  return new;
end;
$$;

-- All rules about time use this clock, so that tests can set it (`backloom.now`, which no API client can set) and
-- a transaction that waited does not decide by the stale time of its start (specification: States and transitions,
-- Limits). Stable, although the clock moves: a volatile one would keep indexes on times from being used, and views
-- that read it from becoming part of their query (private.job_gates; each claim would look at every job).
create function private.now() returns timestamptz language plpgsql stable set search_path = '' as $$
begin
  return coalesce(nullif(current_setting('backloom.now', true), '')::timestamptz, clock_timestamp());
end;
$$;
grant execute on function private.now to authenticated, service_role;

-- SQLSTATE PT<status>, a sentence that says what to do, optional JSON for programs (specification: Errors).
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

-- An unknown id in the same words everywhere. A malformed one comes as an id of no row (specification: Errors).
create function private.refuse_unknown(p_kind text) returns void language plpgsql volatile set search_path = '' as $$
begin
  perform private.refuse(404, format('No such %s. %s', case p_kind when 'pbi' then 'PBI' else p_kind end, case p_kind
    when 'product' then 'List products to see yours.'
    when 'agent job' then 'Check the ID: failed and cancelled jobs are deleted after seven days.'
    else 'Check the ID: it may have been deleted.' end));
end;
$$;
grant execute on function private.refuse_unknown to authenticated, service_role;

-- A value from outside, in any case, as one of the contract's words, or a 422 that lists them (specification: Errors).
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

-- A link shown on a page must be http or https, never a script. Null stays null (specification: Errors).
create function private.require_link(p_field text, p_value text)
returns void language plpgsql volatile set search_path = '' as $$
begin
  if p_value !~ '^https?://[^[:space:]]+$' or char_length(p_value) > 2000 then
    perform private.refuse(422, format('%s must be an http or https address of at most 2000 characters.', p_field),
      jsonb_build_object('issues', jsonb_build_array(
        jsonb_build_object('path', p_field, 'message', 'Must be an http or https URL.'))));
  end if;
end;
$$;

-- `GET /api/health?db=1`. Touches no table: only whether the database is reachable (specification: GET /api/health).
create function operations.ping() returns json language sql stable set search_path = '' as $$
  select '"ok"'::json;
$$;
grant execute on function operations.ping to service_role;

-- A list of hosts is short and contains nothing else (specification: Product).
create function private.are_hosts(p_hosts jsonb) returns boolean language plpgsql immutable set search_path = '' as $$
begin
  return jsonb_typeof(p_hosts) = 'array' and jsonb_array_length(p_hosts) <= 100 and not exists (
    select from jsonb_array_elements(p_hosts) h where jsonb_typeof(h) <> 'string' or not private.is_host(h #>> '{}'));
end;
$$;
grant execute on function private.are_hosts to authenticated, service_role;

-- A host has one spelling: a lower-case name or an address, with a port only to allow that port alone. A name that
-- ends in a number is refused, because other programs would read it as an IP address (specification: Product).
create function private.is_host(p_text text) returns boolean language plpgsql immutable set search_path = '' as $$
declare
  v_name text := regexp_replace(p_text, ':[0-9]{1,5}$', '');
begin
  if char_length(p_text) > 260
    or p_text !~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?$'
    or substring(p_text from ':([0-9]{1,5})$')::integer not between 1 and 65535
  then
    return false;
  end if;
  if v_name ~ '^\[' then
    return family(trim(both '[]' from v_name)::inet) = 6;
  elsif v_name ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$' then
    return host(v_name::inet) = v_name;
  end if;
  return true;
exception
  when invalid_text_representation then
    return false;
end;
$$;
grant execute on function private.is_host to authenticated, service_role;

-- The Data API puts a refusal's sentence into the HTTP status line, where a line break ends the response. Any text
-- from a caller passes through here before it becomes part of such a sentence.
create function private.one_line(p_text text) returns text language sql immutable set search_path = '' as $$
  select left(regexp_replace(p_text, '[[:cntrl:]]+', ' ', 'g'), 200);
$$;
grant execute on function private.one_line to service_role;

-- A value that is not in the contract's list is refused with 422 and the list, on every path (specification: Errors).
create function private.parse_choice(p_field text, p_value text, p_allowed text[])
returns text language plpgsql immutable set search_path = '' as $$
begin
  if p_value is null or p_value = any (p_allowed) then
    return p_value;
  end if;

  perform private.refuse(422, format('%s must be one of: %s.', p_field, array_to_string(p_allowed, ', ')),
    jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', p_field, 'message', 'Must be one of: ' || array_to_string(p_allowed, ', ') || '.'))));
end;
$$;
grant execute on function private.parse_choice to authenticated;

-- A sprint cannot end before it starts. The table's constraint is the second check (specification: Sprint).
create function private.require_dates_in_order(p_start_date date, p_end_date date)
returns void language plpgsql immutable set search_path = '' as $$
begin
  if p_end_date < p_start_date then
    perform private.refuse(422, 'The end date is before the start date.',
      '{"issues":[{"path":"end_date","message":"Must be on or after the start date."}]}');
  end if;
end;
$$;
grant execute on function private.require_dates_in_order to authenticated;

-- Appends an optional key to an answer, which without a value stays byte for byte as before the key existed.
create function private.with_key(p_answer json, p_key text, p_value json)
returns json language plpgsql immutable set search_path = '' as $$
begin
  return case when p_value is null then p_answer
    else (left(p_answer::text, -1) || ',' || to_json(p_key) || ':' || p_value || '}')::json end;
end;
$$;
grant execute on function private.with_key to authenticated, service_role;

-- A time in a sentence, in UTC to the second, as programs write it.
create function private.time_text(p_time timestamptz) returns text language plpgsql stable set search_path = '' as $$
begin
  return to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
end;
$$;

-- A list that is read in pages continues after the place of the last row shown, not after the row itself, which may
-- be gone by then. The cursor is this place: the numbers that the list is ordered by, and the row's id.
create function private.cursor_of(p_id uuid, variadic p_place bigint[])
returns text language sql immutable set search_path = '' as $$
  select array_to_string(p_place, '_') || '_' || p_id;
$$;
grant execute on function private.cursor_of to authenticated;

-- The place in a cursor of the list that is ordered by so many numbers, or 422. Nulls without a cursor.
create function private.read_cursor(p_cursor text, p_numbers integer, out place bigint[], out id uuid)
language plpgsql stable set search_path = '' as $$
declare
  v_parts text[] := string_to_array(p_cursor, '_');
begin
  if p_cursor !~ '^(-?[0-9]{1,16}_)+[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' or cardinality(v_parts) <> p_numbers + 1 then
    perform private.refuse(422, 'This cursor is not one of this list. Send the next_cursor of the previous page, or none.',
      '{"issues": [{"path": "cursor", "message": "Send the next_cursor of the previous page."}]}');
  end if;
  place := v_parts[1:p_numbers];
  id := v_parts[p_numbers + 1];
end;
$$;
grant execute on function private.read_cursor to authenticated;

-- A page of a list as its answer: with a cursor where the page is full, so that more may follow.
create function private.page_json(p_name text, p_rows jsonb[], p_cursors text[], p_limit integer)
returns json language sql immutable set search_path = '' as $$
  select json_build_object(p_name, to_jsonb(coalesce(p_rows, '{}')),
    'next_cursor', case when cardinality(p_rows) = p_limit then p_cursors[p_limit] end);
$$;

-- A cursor has a time as a whole number, so that it is the same time again.
create function private.microseconds(p_time timestamptz)
returns bigint language sql immutable set search_path = '' as $$
  select (extract(epoch from p_time) * 1000000)::bigint;
$$;
grant execute on function private.microseconds to authenticated;

-- The time that private.microseconds wrote.
create function private.time_at(p_microseconds bigint)
returns timestamptz language sql immutable set search_path = '' as $$
  select 'epoch'::timestamptz + p_microseconds * interval '1 microsecond';
$$;
grant execute on function private.time_at to authenticated;
