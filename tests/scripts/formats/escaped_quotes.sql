-- A csv file with quotes inside of texts.
-- Needs: 4
CREATE TABLE notes (id INT, note STRING, ts TIMESTAMP(3)) WITH (
    'connector' = 'filesystem', 'path' = '${DATA}/notes.csv', 'format' = 'csv', 'csv.escape-character' = '\');
CREATE TABLE copies (id INT, note STRING, letters INT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/copies', 'format' = 'json');
INSERT INTO copies SELECT id, note, CHAR_LENGTH(note) FROM notes;
