package io.shardedid.sample.photo;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.shardedid.sample.SampleImages;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.InputStreamSource;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponseException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DecodingTest {

    private final InputStreamSource photo = new ByteArrayResource(SampleImages.png(8, 6));

    @Test
    void sendsAwayWhoComesWhileAllPlacesAreTaken() throws Exception {
        Decoding decoding = new Decoding(1, Duration.ofMillis(20));
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<UploadedImage> first = CompletableFuture.supplyAsync(() -> read(decoding, () -> {
            reading.countDown();
            await(goOn);
            return this.photo.getInputStream();
        }));
        await(reading);
        InputStreamSource untouched = () -> {
            throw new AssertionError("it was read before its turn");
        };
        assertThatExceptionOfType(ErrorResponseException.class).isThrownBy(() -> decoding.read(untouched))
            .satisfies((refused) -> {
                assertThat(refused.getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
                assertThat(refused.getBody().getDetail()).isEqualTo("Other uploads are being read just now. "
                        + "Nothing was published; send it again in a moment.");
            });
        goOn.countDown();
        assertThat(first.get(60, TimeUnit.SECONDS).width()).isEqualTo(8);
        assertThat(decoding.read(this.photo).width()).isEqualTo(8);
    }

    @Test
    void givesItsPlaceBackAfterAFileThatIsNoImage() throws IOException {
        Decoding decoding = new Decoding(1, Duration.ZERO);
        assertThatExceptionOfType(ErrorResponseException.class)
            .isThrownBy(() -> decoding.read(() -> new ByteArrayInputStream(new byte[9])))
            .satisfies((refused) -> assertThat(refused.getStatusCode()).isEqualTo(HttpStatus.UNSUPPORTED_MEDIA_TYPE));
        assertThat(decoding.read(this.photo).height()).isEqualTo(6);
    }

    private static UploadedImage read(Decoding decoding, InputStreamSource file) {
        try {
            return decoding.read(file);
        }
        catch (IOException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new IOException("nobody went on");
            }
        }
        catch (InterruptedException ex) {
            throw new IOException(ex);
        }
    }

}
